import { headOf, ownCopy, tailOf } from "../text/cut-text.ts";
import type { SessionEventOf } from "../wire/session/events.ts";
import type { ToolItem } from "./conversation.ts";

/** Longer outputs are cut: a page shows the two ends of them, and keeps thousands. */
const MAX_OUTPUT_CHARS = 8192;

/** The result of a call as a conversation keeps it. */
export function cutOutput(event: SessionEventOf<"tool_result">): Pick<ToolItem, "result" | "cut"> {
  const { output } = event;
  if (typeof output !== "string" || output.length <= MAX_OUTPUT_CHARS) return { result: event };
  const head = ownCopy(headOf(output, MAX_OUTPUT_CHARS / 2));
  const tail = ownCopy(tailOf(output, MAX_OUTPUT_CHARS / 2));
  const omittedChars = output.length - head.length - tail.length;
  return { result: { ...event, output: head }, cut: { head, tail, omittedChars } };
}
