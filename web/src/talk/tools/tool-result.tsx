import type { CutOutput, ToolItem } from "agent-switchboard/client/core";
import type { StoredText } from "agent-switchboard/wire";
import { useState } from "preact/hooks";
import { explain } from "../../link/errors.ts";
import { number, t } from "../../words/words.ts";
import { VisibleText } from "../../characters/visible-text.tsx";
import { TerminalText } from "../../code/terminal-text.tsx";
import { useTalk } from "../talk-context.ts";
import { ContentView } from "../transcript/content-view.tsx";
import { cutText } from "../transcript/cut-text.ts";
import type { CutText } from "../transcript/cut-text.ts";
import contentStyles from "../transcript/content-view.module.css";
import { wholeOutput } from "./whole-output.ts";
import styles from "./tool-card.module.css";

const MAX_CHARS = 4096;
const TERMINAL_CHARS = 65_536;

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
        <Output
          isTerminal={isTerminal}
          isBad={result.is_error}
          text={whole ?? cutWords(known, cut, size)}
        />
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

/** Both ends of a long output, with a line between them. */
function cutWords(
  known: string,
  cut: Pick<CutText, "head" | "tail"> | undefined,
  size: number,
): string {
  if (!cut) return known;
  const { head, tail } = cut;
  return `${head}\n${t("tool.cut", { n: size - head.length - tail.length })}\n${tail}`;
}

function Output({
  text,
  isTerminal,
  isBad,
}: {
  readonly text: string;
  readonly isTerminal: boolean;
  readonly isBad: boolean;
}) {
  // A terminal shows the newest part alone.
  if (isTerminal && text.length <= TERMINAL_CHARS) return <TerminalText text={text} />;
  return (
    <div
      class={styles.output}
      data-bad={isBad}
      tabindex={0}
      role="group"
      aria-label={t("tool.result")}
    >
      <VisibleText text={text} />
    </div>
  );
}
