import type { TurnPlace } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";

/** Where the newest turn of an agent begins in its session's log. */
export class NewestTurnStarts {
  readonly #agent: AgentId;
  #newest: TurnPlace | undefined;

  constructor(agent: AgentId) {
    this.#agent = agent;
  }

  began({ turn_id, seq }: { readonly turn_id: string; readonly seq: number }, logId: string): void {
    this.#newest = { agent: this.#agent, log_id: logId, turn_id, session_seq: seq };
  }

  /** Undefined for a turn whose beginning this process has not read. */
  of(turnId: string | undefined): TurnPlace | undefined {
    return this.#newest?.turn_id === turnId ? this.#newest : undefined;
  }
}
