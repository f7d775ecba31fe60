import type { StoredText } from "../../wire/blob.ts";
import type { SessionEvent, SessionEventOf } from "../../wire/session/events.ts";
import type { NoticeCode } from "../../wire/session/notices.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { TeamEventDraft } from "../timeline/timeline.ts";
import { brief, summaryOf } from "./call-in-one-line.ts";
import { withTimeLeft } from "./time-left-for-request.ts";

/** Notices that no person has to act on. */
const passing: ReadonlySet<NoticeCode> = new Set([
  "untrusted_project",
  "rehearsal",
  "host_restarted",
  "cli_restarted",
]);

/** What the timeline shows people of an event in an agent's session; undefined when it shows nothing. */
export function toTimelineEvent(agent: AgentId, event: SessionEvent): TeamEventDraft | undefined {
  const told = { agent, session_seq: event.seq };
  switch (event.type) {
    case "turn_started":
      return {
        type: "turn_started",
        ...told,
        turn_id: event.turn_id,
        messages: event.messages,
      };
    case "done":
      return { type: "turn_ended", ...told, ...endOf(event) };
    case "tool_use":
      return {
        type: "tool_called",
        ...told,
        request_id: event.request_id,
        tool: event.tool,
        summary: summaryOf(event.input),
      };
    case "tool_result":
      return {
        type: "tool_ended",
        ...told,
        request_id: event.request_id,
        is_error: event.is_error,
        summary: brief(textOf(event.output)),
      };
    case "approval_request":
    case "question":
    case "plan":
    case "elicitation":
      return { type: "approval_requested", ...told, request: withTimeLeft(event) };
    case "error":
      return {
        type: "notice",
        ...told,
        level: "error",
        code: event.code,
        message: event.message,
        hint: event.hint,
      };
    case "notice":
      return {
        type: "notice",
        ...told,
        level: event.level === "info" || passing.has(event.code) ? "info" : "warn",
        code: event.code,
        message: event.message,
        ...(event.hint !== undefined && { hint: event.hint }),
      };
    default:
      return undefined;
  }
}

export const tokensOf = ({ usage }: Pick<SessionEventOf<"done">, "usage">): number =>
  usage.input_tokens +
  usage.output_tokens +
  (usage.cache_creation_input_tokens ?? 0) +
  (usage.cache_read_input_tokens ?? 0);

export const textOf = (stored: StoredText): string =>
  typeof stored === "string" ? stored : stored.preview;

function endOf(event: SessionEventOf<"done">) {
  const { turn_id, messages, stop_reason, cost_usd, duration_ms } = event;
  return { turn_id, messages, stop_reason, cost_usd, duration_ms, tokens: tokensOf(event) };
}
