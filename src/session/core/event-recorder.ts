import type { EventLog } from "../log/event-log.ts";
import type { EventDraft } from "../log/event-draft.ts";
import type { SessionState } from "../../session-state/session-state.ts";
import type { SessionEvent } from "../../wire/session/events.ts";

/** Events that belong to no turn, even if one is open. */
const apart = new Set<SessionEvent["type"]>([
  "user_message",
  "message_seen",
  "message_dropped",
  "mode_changed",
  "model_changed",
  "session_changed",
  "earlier",
  "title_changed",
  "mcp_servers_set",
  "mcp_status",
  "background_tasks",
  "tools_offered",
  "tools_withdrawn",
  "grant_revoked",
  "closing",
]);

/** Appends events to the log, as part of the open turn, and keeps `status` up to date. */
export class Recorder {
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
  }

  get state(): SessionState {
    return this.#log.state;
  }

  /** Unique in the log, and short, because each delta carries it. */
  newTurnId(): string {
    return `t${this.#log.lastSeq + 1}`;
  }

  /** By default, events that run beside the turns are not made part of the open one. */
  record(draft: EventDraft, { inTurn = !apart.has(draft.type) } = {}): SessionEvent {
    const { turn } = this.state;
    if (!turn || !inTurn) return this.#log.append(draft);
    return this.#log.append({ turn_id: turn.turnId, ...draft });
  }

  /** Records the session's state if it has changed. */
  settle(): SessionEvent | undefined {
    const { turn, pending, activity } = this.state;
    const state = pending.size > 0 ? "waiting" : turn ? "running" : "idle";
    return state === activity ? undefined : this.record({ type: "status", state });
  }

  durable(): Promise<void> {
    return this.#log.durable();
  }
}
