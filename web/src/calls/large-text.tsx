import type { BlobRef, StoredText } from "agent-switchboard/wire";
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { VisibleText } from "../characters/visible-text.tsx";
import { explain } from "../link/errors.ts";
import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";
import styles from "./what.module.css";

/** Fetches the whole of a text that was too large for its event. */
export const WholeText = createContext<((blob: string) => Promise<string>) | undefined>(undefined);

/** A text as the event has it; of one that is too large the beginning, and the rest at a press. */
export function LargeText({ text }: { readonly text: StoredText }) {
  return typeof text === "string" ? (
    <span class={styles.text}>
      <VisibleText text={text} />
    </span>
  ) : (
    <Stored text={text} />
  );
}

function Stored({ text }: { readonly text: BlobRef }) {
  const load = useContext(WholeText);
  const [whole, setWhole] = useState<string | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const showAll = (): void => {
    setError(undefined);
    load?.(text.blob).then(setWhole, setError);
  };
  return (
    <span class={styles.text}>
      <VisibleText text={whole ?? text.preview} />
      {whole === undefined && (
        <span class={styles.cut} data-unseen-rest>
          {t("calls.onlyBeginning", { n: text.bytes })}
          {load && <Key onClick={showAll}>{t("calls.showAll")}</Key>}
          {error !== undefined && <span role="alert">{explain(error)}</span>}
        </span>
      )}
    </span>
  );
}
