import type { StoredText } from "agent-switchboard/wire";
import { useEffect, useState } from "preact/hooks";
import { explain } from "../../link/errors.ts";
import { t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import { pictureTypes } from "./picture-types.ts";
import styles from "./content-view.module.css";

/** A picture whose bytes are in the log. It is shown from memory: the page fetches nothing for it. */
export function PictureView({
  data,
  mediaType,
}: {
  readonly data: StoredText;
  readonly mediaType: string;
}) {
  const { state } = useTalk();
  const [url, setUrl] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const isKnown = pictureTypes.has(mediaType);
  useEffect(() => {
    if (!isKnown) return undefined;
    let made: string | undefined;
    let isGone = false;
    const show = (base64: string): void => {
      if (isGone) return;
      made = URL.createObjectURL(new Blob([bytesOf(base64)], { type: mediaType }));
      setUrl(made);
    };
    const bytes =
      typeof data === "string"
        ? Promise.resolve(data)
        : state.source.blob(data.blob).then((blob) => new TextDecoder().decode(blob));
    bytes.then(show).catch((error: unknown) => setProblem(explain(error)));
    return () => {
      isGone = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [data]);
  if (!isKnown) return <p class={styles.document}>{`${t("talk.picture")}: ${mediaType}`}</p>;
  if (problem !== undefined) return <p class={styles.document}>{problem}</p>;
  if (url === undefined) return <p class={styles.document}>{t("talk.pictureLoading")}</p>;
  return <img class={styles.picture} src={url} alt={t("talk.picture")} />;
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0) ?? 0);
