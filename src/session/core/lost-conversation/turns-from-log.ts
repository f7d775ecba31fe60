import type {
  LoggedCall,
  LoggedItem,
  LoggedMessage,
  LoggedTurn,
} from "../../../engine/recovery/index.ts";
import type { SessionEvent, SessionEventOf } from "../../../wire/session/events.ts";
import type { LoadText } from "../engine-message.ts";
import { loadMessage } from "../engine-message.ts";
import { previewInput, previewOf } from "./preview.ts";

/** An item of a turn, before its texts and blobs are loaded. */
type Draft =
  | { kind: "message"; id: string }
  | { kind: "text"; at: string; block: number; text: string }
  | { kind: "call"; event: SessionEventOf<"tool_use">; result?: SessionEventOf<"tool_result"> };

interface DraftTurn {
  items: Draft[];
  startedWith: readonly string[];
  end?: SessionEventOf<"done">;
}

interface DraftMessage {
  event: SessionEventOf<"user_message">;
  seen: boolean;
  /** It was part of a turn that has ended, or it is quiet and was seen. */
  ended: boolean;
}

/**
 * Rebuilds the conversation from the events of a log, oldest first: every message that the model was given and that
 * ended, and what the model answered. Messages that wait or were dropped are left out, and so are the CLI's own
 * commands, which do not reach the model.
 */
export async function turnsFromLog(
  events: readonly SessionEvent[],
  load: LoadText,
): Promise<LoggedTurn[]> {
  const { turns, messages, open } = foldEvents(events);
  const said: LoggedTurn[] = [];
  for (const turn of turns) {
    // What a turn that has not ended lacks in the CLI's file is told to the model when the turn is resumed.
    if (turn === open) continue;
    const items: LoggedItem[] = [];
    for (const draft of turn.items) {
      const item = await saidOf(draft, messages, load);
      if (item) items.push(item);
    }
    if (items.length > 0 && !isCommand(turn, items)) {
      said.push({
        items,
        completed: turn.end?.stop_reason === "completed",
      });
    }
  }
  return said;
}

function foldEvents(events: readonly SessionEvent[]) {
  const turns: DraftTurn[] = [];
  const messages = new Map<string, DraftMessage>();
  let open: DraftTurn | undefined;
  /** Deltas carry no time. */
  let at = "";
  for (const event of events) {
    if ("at" in event) at = event.at;
    switch (event.type) {
      case "user_message":
        messages.set(event.id, { event, seen: false, ended: false });
        // It joins the running turn, unless a later turn begins with it.
        open?.items.push({ kind: "message", id: event.id });
        break;
      case "message_seen":
        noteSeen(event.id, messages, turns);
        break;
      case "message_dropped":
        messages.delete(event.id);
        break;
      case "turn_started":
        open = { items: [], startedWith: event.messages };
        takeOver(event.messages, open, turns);
        turns.push(open);
        break;
      case "done":
        endTurn(event, open, messages);
        open = undefined;
        break;
      default:
        if (open) addWork(event, at, open);
    }
  }
  return { turns, messages, open };
}

/** A quiet message has no turn: it belongs where it was seen. */
function noteSeen(id: string, messages: Map<string, DraftMessage>, turns: DraftTurn[]): void {
  const message = messages.get(id);
  if (!message) return;
  message.seen = true;
  if (message.event.quiet !== true) return;
  message.ended = true;
  removeFrom(turns, id);
  turns.push({ items: [{ kind: "message", id }], startedWith: [] });
}

/**
 * Messages that begin a turn do not belong to the turn that ran when they arrived; those of a cut turn stay in it.
 */
function takeOver(ids: readonly string[], turn: DraftTurn, turns: readonly DraftTurn[]): void {
  const begun = new Set(turns.flatMap(({ startedWith }) => startedWith));
  for (const id of ids) {
    if (begun.has(id)) continue;
    removeFrom(turns, id);
    turn.items.push({ kind: "message", id });
  }
}

function removeFrom(turns: readonly DraftTurn[], id: string): void {
  for (const turn of turns) {
    turn.items = turn.items.filter((item) => item.kind !== "message" || item.id !== id);
  }
}

function endTurn(
  event: SessionEventOf<"done">,
  turn: DraftTurn | undefined,
  messages: ReadonlyMap<string, DraftMessage>,
): void {
  if (turn) turn.end = event;
  const { usage, stop_reason } = event;
  const wasAsked = (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0) > 0;
  for (const id of event.messages) {
    const message = messages.get(id);
    // A message that ended without the model, such as one that a hook refused, is not in the CLI's transcript.
    if (message) message.ended = message.seen || wasAsked || stop_reason !== "completed";
  }
}

function addWork(event: SessionEvent, at: string, turn: DraftTurn): void {
  if (event.type === "text_delta" && event.parent === undefined) addText(event, at, turn);
  if (event.type === "tool_use" && event.parent === undefined) {
    if (!callIn(turn, event.request_id)) turn.items.push({ kind: "call", event });
  }
  if (event.type === "tool_result") {
    const call = callIn(turn, event.request_id);
    if (call) call.result = event;
  }
  if (event.type === "retracted") {
    const { block, request_id } = event;
    turn.items = turn.items.filter(
      (item) =>
        !(item.kind === "text" && item.block === block) &&
        !(item.kind === "call" && item.event.request_id === request_id && !item.result),
    );
  }
}

function addText(event: SessionEventOf<"text_delta">, at: string, turn: DraftTurn): void {
  const { block, text } = event;
  const known = turn.items.find((item) => item.kind === "text" && item.block === block);
  if (known?.kind === "text") known.text += text;
  else turn.items.push({ kind: "text", at, block, text });
}

function callIn(turn: DraftTurn, requestId: string) {
  return turn.items.find(
    (item): item is Extract<Draft, { kind: "call" }> =>
      item.kind === "call" && item.event.request_id === requestId,
  );
}

/** `/context` and the like: the CLI answers these itself. */
function isCommand({ end }: DraftTurn, items: readonly LoggedItem[]): boolean {
  const [first] = items;
  const { input_tokens = 0, output_tokens = 0 } = end?.usage ?? {};
  return (
    end !== undefined &&
    input_tokens + output_tokens === 0 &&
    first?.kind === "message" &&
    typeof first.message.content === "string" &&
    first.message.content.startsWith("/")
  );
}

async function saidOf(
  draft: Draft,
  messages: ReadonlyMap<string, DraftMessage>,
  load: LoadText,
): Promise<LoggedItem | undefined> {
  if (draft.kind === "message") return saidMessage(messages.get(draft.id), load);
  if (draft.kind === "call") return saidCall(draft);
  const { kind, at, text } = draft;
  return text.trim() === "" ? undefined : { kind, at, text };
}

async function saidMessage(
  message: DraftMessage | undefined,
  load: LoadText,
): Promise<LoggedMessage | undefined> {
  if (!message?.ended) return undefined;
  const { event, seen } = message;
  return { kind: "message", at: event.at, message: await loadMessage(event, load), seen };
}

/** Large values are blobs beside the log; the preview is enough, because the CLI shows the model no more of them. */
function saidCall({ event, result }: Extract<Draft, { kind: "call" }>): LoggedCall {
  const { request_id, tool, at } = event;
  const call: LoggedCall = { kind: "call", at, request_id, tool, input: previewInput(event.input) };
  if (!result) return call;
  const content = previewOf(result.output);
  return { ...call, result: { at: result.at, content, isError: result.is_error } };
}
