import type { SessionView } from "../../client/index.ts";
import type { AgentState } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Life } from "./life.ts";
import { shownLife } from "./life.ts";

/** The state of an agent that people see. Each change of it is an event of the timeline. */
export class ShownState {
  readonly #agent: AgentId;
  readonly #view: Pick<SessionView, "state" | "isBusy">;
  readonly #timeline: Pick<Timeline, "append">;
  #state: AgentState = "stopped";

  constructor(
    agent: AgentId,
    view: Pick<SessionView, "state" | "isBusy">,
    timeline: Pick<Timeline, "append">,
  ) {
    this.#agent = agent;
    this.#view = view;
    this.#timeline = timeline;
  }

  get now(): AgentState {
    return this.#state;
  }

  /** To be called when the agent's life, or something in its session, has changed. */
  show(life: Life<unknown>): void {
    if (life.at !== "up") this.#enter(shownLife[life.at], "why" in life ? life.why : undefined);
    else if (life.gate === "open") this.#enter(this.#work);
  }

  get #work(): AgentState {
    if (this.#view.state.pending.size > 0) return "waiting";
    return this.#view.isBusy ? "working" : "ready";
  }

  #enter(state: AgentState, reason?: string): void {
    if (this.#state === state) return;
    this.#state = state;
    const why = reason === undefined ? {} : { reason };
    this.#timeline.append({ type: "agent_state", agent: this.#agent, state, ...why });
  }
}
