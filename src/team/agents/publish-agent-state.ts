import type { SessionView } from "../../client/index.ts";
import type { AgentState } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import { countRestart } from "../record/stored-restart-counts.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Life } from "./agent-states.ts";
import { shownLife } from "./agent-states.ts";

/** What is known elsewhere. */
export interface ShownFacts {
  /** Since when the agent hibernates or is stopped, if that was recorded. */
  readonly restingSince?: () => string | undefined;
  /** The other machine that has it. */
  readonly host?: () => string | undefined;
}

/** The state of an agent that people see. Each change of it is an event of the timeline. */
export class ShownState {
  readonly #agent: AgentId;
  readonly #view: Pick<SessionView, "state" | "isBusy">;
  readonly #timeline: Pick<Timeline, "append">;
  #state: AgentState = "stopped";
  #reason: string | undefined;
  #since = new Date().toISOString();
  /** This process has published the state. */
  #isPublished = false;
  readonly #facts: ShownFacts;

  constructor(
    agent: AgentId,
    view: Pick<SessionView, "state" | "isBusy">,
    timeline: Pick<Timeline, "append">,
    facts: ShownFacts = {},
  ) {
    this.#agent = agent;
    this.#view = view;
    this.#timeline = timeline;
    this.#facts = facts;
  }

  get now(): AgentState {
    return this.#state;
  }

  /** Why it is in that state, in words. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /**
   * Since when it is in that state; an agent that hibernates or is stopped may have been so before this process
   * began.
   */
  get since(): string {
    return this.#since;
  }

  /** To be called when the agent's life, or something in its session, has changed. */
  show(life: Life<unknown>): void {
    if (life.at === "ending") return;
    if (life.at === "up") {
      if (life.gate === "open") this.#enter(this.#work);
      return;
    }
    const isResting = life.at === "asleep" || life.at === "off";
    const since = isResting ? this.#facts.restingSince?.() : undefined;
    this.#enter(shownLife[life.at], "why" in life ? life.why : undefined, since);
  }

  get #work(): AgentState {
    if (this.#view.state.pending.size > 0) return "waiting";
    return this.#view.isBusy ? "working" : "ready";
  }

  #enter(state: AgentState, reason?: string, since = new Date().toISOString()): void {
    // Each process of the team publishes that an agent is stopped, also if a person stopped it before.
    const isKnown = this.#state === state && (this.#isPublished || reason === undefined);
    // What an agent waits for before it starts may change.
    if (isKnown && (state !== "starting" || reason === this.#reason)) return;
    this.#state = state;
    this.#isPublished = true;
    this.#reason = reason;
    this.#since = since;
    const why = reason === undefined ? {} : { reason };
    const host = this.#facts.host?.();
    const where = host === undefined ? {} : { host };
    const event = {
      type: "agent_state",
      agent: this.#agent,
      state,
      ...why,
      since,
      ...where,
    } as const;
    // In one step, so that each event counts once.
    const writes = state === "restarting" ? [countRestart(this.#agent)] : [];
    this.#timeline.append(event, writes);
  }
}
