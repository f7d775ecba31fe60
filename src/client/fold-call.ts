import type { CallRequest, PendingRequest } from "../wire/session/approval-events.ts";
import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
import type { ConversationItem, NoteItem, ToolItem } from "./conversation.ts";
import { cutOutput } from "./cut-tool-output.ts";
import type { Draft } from "./conversation-draft.ts";
import { callKey, turnKey } from "./item-list.ts";

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
        ...cutOutput(event),
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
    case "request_held":
      moveDeadline(draft, event);
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

const runsOn = (item: ConversationItem): item is ToolItem =>
  item.kind === "tool" && item.runsOn === true;

/** Background commands do not outlive the CLI. */
export function stopCommands({ list }: Draft): void {
  for (let call = list.findLast(runsOn); call; call = list.findLast(runsOn)) {
    list.set({ ...call, runsOn: false });
  }
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

function moveDeadline(draft: Draft, event: SessionEventOf<"request_held">): void {
  const { request_id, deadline, remaining_ms } = event;
  const known = draft.pending.find((each) => each.request_id === request_id);
  if (!known || known.type === "notice") return;
  const request = { ...known, deadline, remaining_ms };
  draft.pending = draft.pending.map((each) => (each === known ? request : each));
  if (request.type !== "elicitation") changeCall(draft, event, () => ({ request }));
  else changeNote(draft, request_id, { note: request });
}

function decide(draft: Draft, decision: SessionEventOf<"approval_resolved">): void {
  const { request_id } = decision;
  const known = draft.pending.find((each) => each.request_id === request_id);
  draft.pending = draft.pending.filter((each) => each !== known);
  const isAsked = known?.type === "notice" || known?.type === "elicitation";
  const isCall = !isAsked && draft.list.get(callKey(request_id)) !== undefined;
  if (!isCall && changeNote(draft, request_id, { decision })) return;
  changeCall(draft, decision, () => ({ decision }));
}

/** Returns false when no note asks this. */
function changeNote({ list }: Draft, requestId: string, change: Partial<NoteItem>): boolean {
  const note = list.findLast(
    (item): item is NoteItem =>
      item.kind === "note" && "request_id" in item.note && item.note.request_id === requestId,
  );
  if (note) list.set({ ...note, ...change });
  return note !== undefined;
}

type CallEvent = Extract<SessionEvent, { request_id: string; parent?: string | undefined }>;

function changeCall(
  draft: Draft,
  event: CallEvent,
  change: (call: ToolItem) => Partial<ToolItem>,
): void {
  const { request_id: requestId, turn_id: turnId, parent } = event;
  draft.retry = undefined;
  const key = callKey(requestId);
  const known = draft.list.get(key);
  if (known?.kind === "tool") draft.list.set({ ...known, ...change(known) });
  else if (!known && !isTrimmed(draft, turnId)) {
    const call: ToolItem = {
      kind: "tool",
      key,
      requestId,
      turnId,
      parent,
      tool: "",
      inputJson: "",
      liveOutput: "",
    };
    draft.list.set({ ...call, ...change(call) });
  }
}

/** A stub stands for the turn, and nothing is added to it. */
export const isTrimmed = ({ list }: Draft, turnId: string | undefined): boolean =>
  turnId !== undefined && list.get(turnKey(turnId)) !== undefined;
