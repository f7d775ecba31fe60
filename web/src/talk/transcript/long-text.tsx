import { VisibleText } from "../../characters/visible-text.tsx";
import type { StoredText } from "agent-switchboard/wire";
import { useState } from "preact/hooks";
import { explain } from "../../link/errors.ts";
import { number, t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import styles from "./content-view.module.css";
import { cutText } from "./cut-text.ts";

/** A text of any size: of a long one its two ends, until the person asks for all of it. */
export function LongText({
  text,
  className,
}: {
  readonly text: StoredText;
  readonly className: string;
}) {
  const { wholeText } = useTalk();
  const [whole, setWhole] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const known = typeof text === "string" ? text : text.preview;
  const cut = cutText(known);
  const missing = typeof text === "string" ? (cut?.omitted ?? 0) : text.bytes - text.preview.length;
  const isCut = typeof text !== "string" || cut !== undefined;
  const showAll = (): void => {
    if (typeof text === "string") return setWhole(text);
    wholeText(text.blob).then(setWhole, (error: unknown) => setProblem(explain(error)));
  };
  return (
    <>
      {whole === undefined && isCut ? (
        <p class={className}>
          <VisibleText text={cut?.head ?? known} />
          <span class={styles.cut}>{t("tool.cut", { n: missing })}</span>
          <VisibleText text={cut?.tail ?? ""} />
        </p>
      ) : (
        <p class={className}>
          <VisibleText text={whole ?? known} />
        </p>
      )}
      {isCut && (
        <button
          type="button"
          class={styles.more}
          onClick={() => (whole === undefined ? showAll() : setWhole(undefined))}
        >
          {whole === undefined
            ? t("tool.showAll", { size: number(known.length + missing) })
            : t("tool.hideAll")}
        </button>
      )}
      {problem !== undefined && <p role="alert">{problem}</p>}
    </>
  );
}
