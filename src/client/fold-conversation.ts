import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
import type { Conversation, MessageItem, TextItem, ToolItem } from "./conversation.ts";
import { emptyConversation } from "./conversation.ts";
import type { Draft } from "./conversation-draft.ts";
import { conversationOf, draftOf } from "./conversation-draft.ts";
import { addPending, applyToCall, isTrimmed, stopCommands } from "./fold-call.ts";
import { applySetting } from "./fold-settings.ts";
import { callKey, messageKey } from "./item-list.ts";
import type { SessionItem } from "./session-item.ts";

/**
 * The conversation after some more events; the given one stays unchanged, and the two share what has not changed.
 * Known events change nothing. Each call copies the list of items, so pass events that arrived together in one call.
 */
export function fold(before: Conversation, events: Iterable<SessionItem>): Conversation {
  let draft: Draft | undefined;
  for (const event of events) {
    if (event.type === "reset") draft = draftOf(emptyConversation);
    else if (event.seq > (draft ?? before).seq) draft = take(draft ?? draftOf(before), event);
  }
  return draft ? conversationOf(draft) : before;
}

function take(draft: Draft, event: SessionEvent): Draft {
  if (event.type === "snapshot_begin") return beginSnapshot(draft, event);
  if (event.type === "snapshot_end") {
    return Object.assign(draft, { seq: event.seq, snapshot: undefined });
  }
  if (draft.seq === 0 && event.seq > 1) draft.omitted = true;
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
  return Object.assign(draftOf(emptyConversation), {
    seq: event.seq,
    omitted: event.omitted === true,
    snapshot: "taking" as const,
  });
}

function apply(draft: Draft, event: SessionEvent): void {
  switch (event.type) {
    case "user_message":
      addMessage(draft, event);
      break;
    case "message_seen":
      takeUp(draft, event.id, draft.openTurn);
      break;
    case "message_dropped":
      changeMessage(draft, event.id, { fate: "dropped", turnId: undefined });
      break;
    case "turn_started":
      startTurn(draft, event);
      break;
    case "text_delta":
    case "thinking_delta":
      addText(draft, event);
      break;
    case "retracted":
      retract(draft, event);
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
      draft.list.set({
        kind: "note",
        key: `note/${event.seq}`,
        note: event,
        turnId: event.turn_id,
      });
      askForLeave(draft, event);
      if (event.type === "session_changed" && event.previous !== undefined) draft.todo = [];
      if (endsCompaction(event)) draft.compacting = false;
      if (endsCommands(event)) stopCommands(draft);
      break;
    default:
      applySetting(draft, event);
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
  draft.turns.set({ id: event.turn_id, started: event });
  for (const id of event.messages) takeUp(draft, id, event.turn_id);
}

/** An id is accepted once. */
function addMessage(draft: Draft, message: SessionEventOf<"user_message">): void {
  const key = messageKey(message.id);
  if (!draft.list.get(key)) draft.list.set({ kind: "message", key, message, fate: "queued" });
}

/** The message moves to where it takes effect: after what was said while it waited. */
function takeUp(draft: Draft, id: string, turnId: string | undefined): void {
  const item = draft.list.get(messageKey(id));
  if (item?.kind !== "message" || item.fate === "taken" || item.fate === "dropped") return;
  if (turnId === undefined) draft.list.set({ ...item, fate: "seen" });
  else draft.list.moveToEnd({ ...item, fate: "taken", turnId });
}

function changeMessage(
  draft: Draft,
  id: string,
  change: Pick<MessageItem, "fate" | "turnId">,
): void {
  const item = draft.list.get(messageKey(id));
  if (item?.kind === "message" && item.fate === "queued") draft.list.set({ ...item, ...change });
}

const textKey = (
  kind: TextItem["kind"],
  {
    turn_id,
    parent,
    block,
  }: Partial<Pick<SessionEventOf<"text_delta">, "turn_id" | "parent" | "block">>,
): string => JSON.stringify([kind, turn_id, parent, block]);

function addText(draft: Draft, event: SessionEventOf<"text_delta" | "thinking_delta">): void {
  draft.retry = undefined;
  const { turn_id: turnId, parent, block } = event;
  const kind = event.type === "text_delta" ? "text" : "thinking";
  const key = textKey(kind, event);
  const item = draft.list.get(key);
  if (item?.kind === kind) draft.list.set({ ...item, text: item.text + event.text });
  else if (!isTrimmed(draft, turnId)) {
    draft.list.set({ kind, key, turnId, parent, block, text: event.text });
  }
}

/** A retracted answer takes along the call that it was about to make. */
function retract(draft: Draft, event: SessionEventOf<"retracted">): void {
  const { turn_id, block, request_id: requestId } = event;
  const isOurs = ({ turnId, parent }: ToolItem): boolean =>
    turnId === turn_id && parent === undefined;
  if (block !== undefined) {
    for (const kind of ["text", "thinking"] as const) {
      draft.list.remove(textKey(kind, { turn_id, block }));
    }
  }
  if (requestId === undefined) {
    for (const item of draft.list.unfinished()) if (isOurs(item)) draft.list.remove(item.key);
    return;
  }
  const call = draft.list.get(callKey(requestId));
  if (call?.kind === "tool" && isOurs(call) && !call.result) draft.list.remove(call.key);
}

function endTurn(draft: Draft, event: SessionEventOf<"done">): void {
  const { turn_id: id, usage } = event;
  draft.openTurn = undefined;
  draft.retry = undefined;
  draft.compacting = false;
  if (event.seq > draft.costSeq) draft.costUsd += event.cost_usd;
  const turn = draft.turns.get(id);
  if (turn) draft.turns.set({ ...turn, usage, done: event });
  for (const message of event.messages) {
    changeMessage(draft, message, { fate: "taken", turnId: id });
  }
  for (const item of draft.list.unfinished()) {
    if (item.turnId === id) draft.list.remove(item.key);
  }
}
