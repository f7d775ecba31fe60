import type { SessionEvent } from "../../wire/session/events.ts";
import type { EventDraft } from "./event-draft.ts";
import { snapshotEvents } from "./select-snapshot-events.ts";
import { pendingOf } from "../../session-state/pending-requests.ts";
import type { SessionState } from "../../session-state/session-state.ts";

export interface Snapshot {
  /** Events to repeat. Those that happened before carry their original time. */
  readonly items: EventDraft[];
  /** Older turns were left out. */
  readonly omitted: boolean;
}

/** The newest events of the log, in order; `whole` when there are no older ones. */
export interface Recent {
  readonly events: readonly SessionEvent[];
  readonly whole: boolean;
}

/**
 * What a client must know that knows nothing. A conversation may be very long, so the snapshot has the newest turns
 * that fit into `maxBytes`, each complete, and always the newest one; older ones are available through `history`.
 * Everything that is still open is included, however old.
 */
export function snapshotOf(state: SessionState, recent: Recent, maxBytes: number): Snapshot {
  const turns = turnsOf(snapshotEvents(recent.events));
  let omitted = !recent.whole;
  // Its beginning is missing.
  if (omitted && turns.length > 1) turns.shift();
  let bytes = turns.reduce((sum, turn) => sum + turn.bytes, 0);
  while (bytes > maxBytes && turns.length > 1) {
    bytes -= turns.shift()?.bytes ?? 0;
    omitted = true;
  }
  const conversation = turns.flatMap(({ events }) => events);
  const items = [
    ...settings(state, conversation),
    ...stillOpen(state, conversation),
    ...conversation,
    ...standing(state),
  ];
  return { items, omitted };
}

interface Turn {
  events: SessionEvent[];
  bytes: number;
}

/** Cut after each `done`: what comes between two turns belongs to the later one. */
function turnsOf(events: readonly SessionEvent[]): Turn[] {
  const turns: Turn[] = [];
  let turn: Turn | undefined;
  for (const event of events) {
    if (!turn) turns.push((turn = { events: [], bytes: 0 }));
    turn.events.push(event);
    turn.bytes += JSON.stringify(event).length;
    if (event.type === "done") turn = undefined;
  }
  return turns;
}

function settings(state: SessionState, conversation: readonly SessionEvent[]): EventDraft[] {
  const { sessionId, forkedFrom, forkedAt, mode, model, modelAlias, effort } = state;
  const { title, mcpServers, backgroundTasks } = state;
  const drafts: EventDraft[] = [];
  if (sessionId !== undefined && !conversation.some(({ type }) => type === "session_changed")) {
    const copied = forkedFrom !== undefined && { forked_from: forkedFrom };
    const at = forkedAt !== undefined && { forked_at: forkedAt };
    drafts.push({ type: "session_changed", session_id: sessionId, ...copied, ...at });
  }
  if (title !== undefined) drafts.push({ type: "title_changed", title });
  if (mode) drafts.push({ type: "mode_changed", mode });
  if (model !== undefined) {
    const alias = modelAlias !== undefined && { alias: modelAlias };
    drafts.push({
      type: "model_changed",
      model,
      ...alias,
      ...(effort !== undefined && { effort }),
    });
  }
  const grants = [...state.given.values()];
  if (grants.length > 0) drafts.push({ type: "grants", grants });
  if (mcpServers) drafts.push({ type: "mcp_status", servers: [...mcpServers] });
  if (backgroundTasks.length > 0) {
    drafts.push({ type: "background_tasks", tasks: [...backgroundTasks] });
  }
  drafts.push(...state.offers.values());
  return drafts;
}

/** What is open and began before the repeated conversation. */
function stillOpen(state: SessionState, conversation: readonly SessionEvent[]): EventDraft[] {
  const given = new Set(conversation.map(nameOf));
  const turn_id = state.turn?.turnId;
  const inTurn = turn_id !== undefined && { turn_id };
  const drafts: EventDraft[] = [];
  for (const [id, { event, seen }] of state.accepted) {
    drafts.push(event);
    if (seen) drafts.push({ type: "message_seen", id });
  }
  if (state.turn) {
    const { turnId, messages, cause, startedAt: at } = state.turn;
    const started = { turn_id: turnId, messages: [...messages], cause, at };
    drafts.push({ type: "turn_started", ...started });
  }
  for (const [request_id, { tool, input, parent }] of state.calls) {
    const ofAgent = parent !== undefined && { parent };
    drafts.push({ type: "tool_use", request_id, tool, input, ...ofAgent, ...inTurn });
  }
  if (state.continuation?.sent === false) drafts.push(state.continuation.planned);
  drafts.push(...state.subagents.values(), ...pendingOf(state));
  return drafts.filter((draft) => !given.has(nameOf(draft)));
}

/** The identity of an event: two events with the same name are repetitions. */
function nameOf(event: EventDraft): string {
  if ("request_id" in event) return `${event.type} ${event.request_id}`;
  if ("id" in event) return `${event.type} ${event.id}`;
  return `${event.type} ${event.turn_id}`;
}

/** Events whose newest version replaces earlier ones. */
function standing({ todo, usage, activity }: SessionState): EventDraft[] {
  return [...(todo ? [todo] : []), ...(usage ? [usage] : []), { type: "status", state: activity }];
}
