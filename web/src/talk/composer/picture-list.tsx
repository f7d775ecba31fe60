import { t } from "../../words/words.ts";
import { PictureView } from "../transcript/picture-view.tsx";
import type { ComposerState } from "./composer-state.ts";
import styles from "./composer.module.css";

/** The pictures that go with the message. */
export function PictureList({ composer }: { readonly composer: ComposerState }) {
  const pictures = composer.pictures.value;
  if (pictures.length === 0) return null;
  return (
    <ul class={styles.pictures} aria-label={t("talk.pictures")}>
      {pictures.map(({ id, name, data, mediaType }) => (
        <li key={id}>
          <PictureView data={data} mediaType={mediaType} />
          <button type="button" class={styles.small} onClick={() => composer.removePicture(id)}>
            {t("talk.removePicture", { name })}
          </button>
        </li>
      ))}
    </ul>
  );
}
