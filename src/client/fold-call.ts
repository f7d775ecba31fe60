import type { CallRequest, PendingRequest } from "../wire/session/approval-events.ts";
import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
import type { Draft, ToolItem } from "./conversation.ts";

/** The newest part: what a screen can show. */
const LIVE_OUTPUT_CHARS = 65_536;

/** Applies events about calls. A call's events come in parts, and any part may be the first. */
export function applyToCall(draft: Draft, event: SessionEvent): void {
  switch (event.type) {
    case "tool_input_delta":
      changeCall(draft, event, (call) => ({
        tool: event.tool,
        inputJson: call.inputJson + event.partial_json,
      }));
      break;
    case "tool_use":
      changeCall(draft, event, () => ({ tool: event.tool, input: event.input, inputJson: "" }));
      break;
    case "tool_progress":
      changeCall(draft, event, () => ({ progress: event }));
      break;
    case "tool_output_delta":
      changeCall(draft, event, (call) => ({
        liveOutput: (call.liveOutput + event.text).slice(-LIVE_OUTPUT_CHARS),
        runsOn: call.result !== undefined && event.ended !== true,
      }));
      break;
    case "tool_result":
      changeCall(draft, event, () => ({
        result: event,
        changes: event.changes,
        liveOutput: "",
        progress: undefined,
      }));
      break;
    case "approval_request":
    case "question":
    case "plan":
      ask(draft, event);
      break;
    case "approval_resolved":
      decide(draft, event);
      break;
    case "subagent_started":
      changeCall(draft, event, () => ({ agent: event }));
      break;
    case "subagent_ended":
      changeCall(draft, event, () => ({ agentEnd: event }));
      break;
    default:
      break;
  }
}

/** Background commands do not outlive the CLI. */
export function stopCommands(draft: Draft): void {
  draft.items = draft.items.map((item) =>
    item.kind === "tool" && item.runsOn === true ? { ...item, runsOn: false } : item,
  );
}

/** A request that is asked again replaces the earlier one. */
export function addPending(draft: Draft, request: PendingRequest): void {
  const { request_id } = request;
  draft.pending = [...draft.pending.filter((each) => each.request_id !== request_id), request];
}

function ask(draft: Draft, request: CallRequest): void {
  addPending(draft, request);
  changeCall(draft, request, (call) => ({
    ...(request.type === "approval_request" && {
      tool: request.tool,
      input: call.input ?? request.input,
      changes: request.changes,
    }),
    ...(request.type !== "approval_request" && { tool: call.tool || toolBehind(request) }),
    request,
    // Asked again after a crash: the earlier decision does not count.
    decision: undefined,
  }));
}

const toolBehind = (request: CallRequest): string =>
  request.type === "question" ? "AskUserQuestion" : "ExitPlanMode";

function decide(draft: Draft, decision: SessionEventOf<"approval_resolved">): void {
  const { request_id } = decision;
  draft.pending = draft.pending.filter((each) => each.request_id !== request_id);
  const at = draft.items.findLastIndex(
    ({ kind, ...item }) =>
      kind === "note" &&
      "note" in item &&
      "request_id" in item.note &&
      item.note.request_id === request_id,
  );
  const item = draft.items[at];
  if (item?.kind === "note") draft.items[at] = { ...item, decision };
  else changeCall(draft, decision, () => ({ decision }));
}

type CallEvent = Extract<SessionEvent, { request_id: string; parent?: string | undefined }>;

function changeCall(
  draft: Draft,
  event: CallEvent,
  change: (call: ToolItem) => Partial<ToolItem>,
): void {
  const { request_id: requestId } = event;
  draft.retry = undefined;
  const at = draft.items.findLastIndex(
    (item) => item.kind === "tool" && item.requestId === requestId,
  );
  const known = draft.items[at];
  const call: ToolItem =
    known?.kind === "tool"
      ? known
      : {
          kind: "tool",
          requestId,
          turnId: event.turn_id,
          parent: event.parent,
          tool: "",
          inputJson: "",
          liveOutput: "",
        };
  const changed = { ...call, ...change(call) };
  if (at < 0) draft.items.push(changed);
  else draft.items[at] = changed;
}
