import type { EventLog } from "../log/event-log.ts";
import type { EventDraft } from "../log/log-batch.ts";
import type { SessionState } from "../state/session-state.ts";
import type { SessionEvent } from "../../wire/session-events.ts";

/** What belongs to no turn, even if one is open when it happens. */
const apart = new Set<SessionEvent["type"]>([
  "user_message",
  "message_seen",
  "message_dropped",
  "mode_changed",
  "model_changed",
  "session_changed",
  "mcp_status",
  "background_tasks",
  "closing",
]);

/** Puts events into the log, as part of the turn that is open, and keeps `status` in step with them. */
export class Recorder {
  readonly #log: EventLog;

  constructor(log: EventLog) {
    this.#log = log;
  }

  get state(): SessionState {
    return this.#log.state;
  }

  /** An id that no other turn of the log has, and short, because each delta carries it. */
  newTurnId(): string {
    return `t${this.#log.lastSeq + 1}`;
  }

  /** What goes on beside the turns is not part of the one that happens to be open. */
  tell(draft: EventDraft, { inTurn = !apart.has(draft.type) } = {}): SessionEvent {
    const { turn } = this.state;
    if (!turn || !inTurn) return this.#log.append(draft);
    return this.#log.append({ turn_id: turn.turnId, ...draft });
  }

  /** Tells the session's state if it has changed. */
  settle(): SessionEvent | undefined {
    const { turn, pending, activity } = this.state;
    const state = pending.size > 0 ? "waiting" : turn ? "running" : "idle";
    return state === activity ? undefined : this.tell({ type: "status", state });
  }

  durable(): Promise<void> {
    return this.#log.durable();
  }
}
