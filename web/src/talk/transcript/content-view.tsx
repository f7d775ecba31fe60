import { VisibleText } from "../../characters/visible-text.tsx";
import type { StoredContentBlock, StoredText } from "agent-switchboard/wire";
import { t } from "../../words/words.ts";
import { PictureView } from "./picture-view.tsx";
import { LongText } from "./long-text.tsx";
import styles from "./content-view.module.css";

/** Texts, pictures and documents of a message or of a result. */
export function ContentView({ content }: { readonly content: readonly StoredContentBlock[] }) {
  return (
    <>
      {content.map((block, index) => (
        <BlockOf key={index} block={block} />
      ))}
    </>
  );
}

function BlockOf({ block }: { readonly block: StoredContentBlock }) {
  if (block.type === "text") return <Words text={block.text} />;
  const { source } = block;
  if (source.type === "url") return <Elsewhere url={source.url} />;
  if (block.type === "image" && source.type === "base64") {
    return <PictureView data={source.data} mediaType={source.media_type} />;
  }
  const title = "title" in block ? block.title : undefined;
  return (
    <p class={styles.document}>
      {t("talk.document")}: <VisibleText text={title ?? source.media_type} />
    </p>
  );
}

const Words = ({ text }: { readonly text: StoredText }) => (
  <LongText text={text} className={styles.words ?? ""} />
);

/** The page fetches nothing from elsewhere. */
function Elsewhere({ url }: { readonly url: string }) {
  return (
    <p class={styles.document}>
      <VisibleText text={t("talk.pictureAt", { host: hostOf(url) })} />{" "}
      <code>
        <VisibleText text={url} />
      </code>
    </p>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
