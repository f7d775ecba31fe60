import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
import type { Conversation, ConversationItem, Draft } from "./conversation.ts";
import { emptyConversation } from "./conversation.ts";
import { addPending, applyToCall, stopCommands } from "./fold-call.ts";
import type { SessionItem } from "./session-item.ts";

/**
 * The conversation after some more events; the given one stays unchanged, and the two share what has not changed.
 * Known events change nothing. Each call costs time in proportion to the number of items, so pass events that arrived
 * together in one call.
 */
export function fold(before: Conversation, events: Iterable<SessionItem>): Conversation {
  let draft = copy(before);
  for (const event of events) {
    if (event.type === "reset") draft = copy(emptyConversation);
    else if (event.seq > draft.seq) draft = take(draft, event);
  }
  return draft;
}

const copy = (from: Conversation): Draft => ({
  ...from,
  items: [...from.items],
  turns: new Map(from.turns),
});

function take(draft: Draft, event: SessionEvent): Draft {
  if (event.type === "snapshot_begin") return beginSnapshot(draft, event);
  if (event.type === "snapshot_end") {
    Object.assign(draft, { seq: event.seq, snapshot: undefined });
    return draft;
  }
  draft.seq = event.seq;
  if (draft.snapshot !== "skipping") apply(draft, event);
  return draft;
}

/**
 * A snapshot stands for everything before it. A client that has followed knows more than the snapshot; any other
 * begins with a reset.
 */
function beginSnapshot(draft: Draft, event: SessionEventOf<"snapshot_begin">): Draft {
  if (draft.seq > 0) return Object.assign(draft, { seq: event.seq, snapshot: "skipping" as const });
  return Object.assign(copy(emptyConversation), { seq: event.seq, snapshot: "taking" as const });
}

function apply(draft: Draft, event: SessionEvent): void {
  switch (event.type) {
    case "user_message":
      draft.items.push({ kind: "message", message: event, fate: "queued" });
      break;
    case "message_seen":
      takeUp(draft, event.id, draft.openTurn);
      break;
    case "message_dropped":
      changeMessage(draft, event.id, "dropped");
      break;
    case "turn_started":
      startTurn(draft, event);
      break;
    case "text_delta":
    case "thinking_delta":
      addText(draft, event);
      break;
    case "retracted":
      draft.items = draft.items.filter((item) => !isRetracted(item, event));
      break;
    case "done":
      endTurn(draft, event);
      break;
    case "notice":
    case "elicitation":
    case "error":
    case "compacted":
    case "session_changed":
    case "earlier":
    case "closing":
      draft.items.push({ kind: "note", note: event, turnId: event.turn_id });
      askForLeave(draft, event);
      if (event.type === "session_changed" && event.previous !== undefined) draft.todo = [];
      if (endsCompaction(event)) draft.compacting = false;
      if (endsCommands(event)) stopCommands(draft);
      break;
    case "status":
      draft.state = event.state;
      break;
    case "todo":
      if (event.parent === undefined) draft.todo = event.items;
      break;
    case "usage":
      draft.context = event.context ?? draft.context;
      break;
    case "compacting":
      draft.compacting = true;
      break;
    case "retry":
      draft.retry = event;
      break;
    case "mode_changed":
      draft.mode = event.mode;
      break;
    case "model_changed":
      draft.model = event.model;
      if (event.effort !== undefined) draft.effort = event.effort;
      break;
    case "mcp_status":
      draft.mcpServers = event.servers;
      break;
    default:
      applyToCall(draft, event);
  }
}

/** Keeps the notes that a person has to answer. */
function askForLeave(draft: Draft, event: SessionEvent): void {
  if (event.type === "elicitation") addPending(draft, event);
  if (event.type !== "notice" || event.request_id === undefined) return;
  addPending(draft, { ...event, request_id: event.request_id });
}

/** The CLI is gone, and so are its background commands. */
const endsCommands = (event: SessionEvent): boolean =>
  event.type === "closing" ||
  (event.type === "notice" && (event.code === "cli_restarted" || event.code === "host_restarted"));

const endsCompaction = (event: SessionEvent): boolean =>
  event.type === "compacted" || (event.type === "notice" && event.code === "compaction_failed");

function startTurn(draft: Draft, event: SessionEventOf<"turn_started">): void {
  draft.openTurn = event.turn_id;
  draft.turns.set(event.turn_id, { id: event.turn_id, started: event });
  for (const id of event.messages) takeUp(draft, id, event.turn_id);
}

/** The message moves to where it takes effect: after what was said while it waited. */
function takeUp(draft: Draft, id: string, turnId: string | undefined): void {
  const at = draft.items.findLastIndex((item) => item.kind === "message" && item.message.id === id);
  const item = draft.items[at];
  if (item?.kind !== "message" || item.fate === "taken" || item.fate === "dropped") return;
  if (turnId === undefined) {
    draft.items[at] = { ...item, fate: "seen" };
    return;
  }
  draft.items.splice(at, 1);
  draft.items.push({ ...item, fate: "taken", turnId });
}

function changeMessage(draft: Draft, id: string, fate: "taken" | "dropped", turnId?: string): void {
  const at = draft.items.findLastIndex((item) => item.kind === "message" && item.message.id === id);
  const item = draft.items[at];
  if (item?.kind === "message" && item.fate === "queued") {
    draft.items[at] = { ...item, fate, turnId };
  }
}

function addText(draft: Draft, event: SessionEventOf<"text_delta" | "thinking_delta">): void {
  draft.retry = undefined;
  const { turn_id: turnId, parent, block } = event;
  const kind = event.type === "text_delta" ? "text" : "thinking";
  const at = draft.items.findLastIndex(
    (item) =>
      item.kind === kind &&
      item.block === block &&
      item.parent === parent &&
      item.turnId === turnId,
  );
  const item = draft.items[at];
  if (item?.kind === kind) draft.items[at] = { ...item, text: item.text + event.text };
  else draft.items.push({ kind, turnId, parent, block, text: event.text });
}

/** A retracted answer takes along the call that it was about to make. */
function isRetracted(item: ConversationItem, event: SessionEventOf<"retracted">): boolean {
  if (item.turnId !== event.turn_id || !("parent" in item) || item.parent !== undefined)
    return false;
  if (item.kind !== "tool") return item.block === event.block;
  if (event.request_id === undefined) return isUnfinished(item);
  return item.result === undefined && event.request_id === item.requestId;
}

function endTurn(draft: Draft, event: SessionEventOf<"done">): void {
  const { turn_id: id } = event;
  draft.openTurn = undefined;
  draft.retry = undefined;
  draft.compacting = false;
  draft.costUsd += event.cost_usd;
  const turn = draft.turns.get(id);
  if (turn) draft.turns.set(id, { ...turn, done: event });
  for (const message of event.messages) changeMessage(draft, message, "taken", id);
  draft.items = draft.items.filter((item) => item.turnId !== id || !isUnfinished(item));
}

/** A call that the model began to write and never made. */
const isUnfinished = (item: ConversationItem): boolean =>
  item.kind === "tool" && item.input === undefined && item.request === undefined;
