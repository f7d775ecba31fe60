import type { CutOutput, ToolItem } from "agent-switchboard/client/core";
import type { StoredText } from "agent-switchboard/wire";
import { useState } from "preact/hooks";
import { explain } from "../../link/errors.ts";
import { number, t } from "../../words/words.ts";
import { TerminalText } from "../parts.tsx";
import { useTalk } from "../talk-context.ts";
import { ContentView } from "../transcript/content-view.tsx";
import { cutText } from "../transcript/cut-text.ts";
import contentStyles from "../transcript/content-view.module.css";
import { wholeOutput } from "./whole-output.ts";
import styles from "./tool-card.module.css";

const MAX_CHARS = 4096;

/** What a call returned: of a long output its two ends, and all of it when the person asks. */
export function ToolResult({
  item,
  isTerminal = false,
}: {
  readonly item: ToolItem;
  readonly isTerminal?: boolean;
}) {
  const { state } = useTalk();
  const [whole, setWhole] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const { result } = item;
  if (!result) return null;
  const pictures = (result.content ?? []).filter(({ type }) => type !== "text");
  const kept = item.cut;
  const known = typeof result.output === "string" ? result.output : result.output.preview;
  const cut = kept ?? cutText(known, MAX_CHARS);
  const size = sizeOf(result.output, kept);
  const isCut = cut !== undefined || size > known.length;
  const shown = whole ?? known;
  const show = (): void => {
    setProblem(undefined);
    wholeOutput(state, result).then(setWhole, (error: unknown) => setProblem(explain(error)));
  };
  return (
    <>
      {shown === "" && pictures.length === 0 && <p class={styles.about}>{t("tool.noOutput")}</p>}
      {shown !== "" && (
        <div
          class={styles.output}
          data-bad={result.is_error}
          tabindex={0}
          role="region"
          aria-label={t("tool.result")}
        >
          {whole === undefined && cut ? (
            <>
              <Words text={cut.head} isTerminal={isTerminal} />
              <span class={contentStyles.cut}>
                {t("tool.cut", { n: size - cut.head.length - cut.tail.length })}
              </span>
              <Words text={cut.tail} isTerminal={isTerminal} />
            </>
          ) : (
            <Words text={shown} isTerminal={isTerminal} />
          )}
        </div>
      )}
      {isCut && (
        <button
          type="button"
          class={contentStyles.more}
          onClick={() => (whole === undefined ? show() : setWhole(undefined))}
        >
          {whole === undefined ? t("tool.showAll", { size: number(size) }) : t("tool.hideAll")}
        </button>
      )}
      {problem !== undefined && <p role="alert">{problem}</p>}
      <ContentView content={pictures} />
    </>
  );
}

function sizeOf(output: StoredText, cut: CutOutput | undefined): number {
  if (typeof output !== "string") return output.bytes;
  return cut ? cut.head.length + cut.omittedChars + cut.tail.length : output.length;
}

const Words = ({ text, isTerminal }: { readonly text: string; readonly isTerminal: boolean }) =>
  isTerminal ? <TerminalText text={text} /> : <>{text}</>;
