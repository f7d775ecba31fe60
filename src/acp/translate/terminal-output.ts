import type { SessionEventOf } from "../../client/index.ts";
import { textOf } from "./text-or-preview.ts";

/**
 * A command whose output an editor shows in a terminal of its own. `printed` is what the terminal has; undefined when that
 * is not all that the command has printed.
 */
export interface LiveTerminal {
  readonly printed: string | undefined;
}

export const newTerminal: LiveTerminal = { printed: "" };

const MAX_KEPT_CHARS = 1_000_000;

type Meta = Record<string, unknown>;

/** The editor makes a terminal of this id, which is that of the call. */
export const terminalInfo = (id: string, cwd: string): Meta => ({
  terminal_info: { terminal_id: id, cwd },
});

const output = (id: string, data: string): Meta => ({
  terminal_output: { terminal_id: id, data },
});

/** More of what the command prints. */
export function printMore(
  terminal: LiveTerminal,
  delta: SessionEventOf<"tool_output_delta">,
): { terminal: LiveTerminal; meta: Meta } {
  const { request_id: id, text, skipped_bytes: skipped } = delta;
  const data = skipped === undefined ? text : `\n… ${skipped} bytes are not shown …\n${text}`;
  const before = skipped === undefined ? terminal.printed : undefined;
  const printed = before === undefined ? undefined : before + data;
  const isKept = printed !== undefined && printed.length <= MAX_KEPT_CHARS;
  return { terminal: { printed: isKept ? printed : undefined }, meta: output(id, data) };
}

/** The end of the command: what the terminal lacks, and how the command ended. */
export function endTerminal(terminal: LiveTerminal, result: SessionEventOf<"tool_result">): Meta {
  const { request_id: id, is_error: isError } = result;
  const text = textOf(result.output);
  const [, code] = /^Exit code (\d+)/.exec(text) ?? [];
  const exitCode = code === undefined ? Number(isError) : Number(code);
  const rest = restOf(terminal, text.replace(/^Exit code \d+\n*/, ""));
  return {
    ...(rest !== "" && output(id, rest)),
    terminal_exit: { terminal_id: id, exit_code: exitCode, signal: null },
  };
}

/** What was printed is not always the beginning of the result: Claude Code shortens long ones, and adds words to others. */
function restOf({ printed }: LiveTerminal, text: string): string {
  if (printed === undefined) return "";
  if (text.startsWith(printed)) return text.slice(printed.length);
  return printed.trim() === text.trim() ? "" : `\n${text}`;
}
