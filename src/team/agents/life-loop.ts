import { pause } from "../../time/abort.ts";
import { backOffMs } from "../../time/back-off.ts";
import { backgroundClock } from "../../time/clock.ts";
import type { RetryPolicy } from "../../wire/timing.ts";
import { defaultRetryPolicy } from "../../wire/timing.ts";
import { Changes } from "./wait-until.ts";
import type { Life, LifeFact, LifeLimits } from "./life.ts";
import { nextLife, sessionOf } from "./life.ts";

/** What an agent does in the states of its life. */
export interface AgentBody<Session> {
  /**
   * Brings the agent up, and reports how far it is: `connected`, `caught_up`, `role_asked`.
   *
   * @throws why it cannot; the signal's reason.
   */
  start(report: (fact: LifeFact<Session>) => void, signal: AbortSignal): Promise<void>;
  /** Resolves with the reason when the session, or the run behind it, is gone. */
  untilLost(session: Session): Promise<string>;
  /** Resolves when the agent has had nothing to do for so long that it may hibernate, or when the signal is aborted. */
  untilIdle(signal: AbortSignal): Promise<void>;
  /** Asks the session itself whether it is at rest. */
  isAtRest(session: Session): Promise<boolean>;
  /** Ends a run that hibernates, and writes that down first. */
  fallAsleep(): Promise<void>;
  /** The session is gone. */
  leave(session: Session | undefined): Promise<void>;
  /** It was put into quarantine. */
  quarantine(why: string): Promise<void>;
  /** Called after each change. */
  changed(before: Life<Session>, after: Life<Session>): void;
}

export interface LifeLoopOptions extends LifeLimits {
  readonly policy?: RetryPolicy;
  /** Stops the loop. The body ends what runs. */
  readonly signal: AbortSignal;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Chance makes each pause a little shorter or longer, so that a whole team does not come back in one instant. */
const jitter = { from: 0.8, to: 1.2 };

const pauseInBackground = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, signal, backgroundClock);

/** Leads an agent through its life: start, sleep, wake, back-off, quarantine. */
export class LifeLoop<Session> {
  readonly #body: AgentBody<Session>;
  readonly #options: LifeLoopOptions;
  #life: Life<Session> = { at: "stopped" };
  readonly #changes = new Changes();

  constructor(body: AgentBody<Session>, options: LifeLoopOptions) {
    this.#body = body;
    this.#options = options;
  }

  get life(): Life<Session> {
    return this.#life;
  }

  /** To be called when something has happened to the agent. */
  apply(fact: LifeFact<Session>): void {
    const before = this.#life;
    this.#life = nextLife(before, fact, this.#options);
    if (this.#life === before) return;
    this.#body.changed(before, this.#life);
    this.#changes.happened();
  }

  /** Resolves with what `found` returns, once that is something. @throws the signal's reason. */
  until<Found>(
    found: (life: Life<Session>) => Found | undefined,
    signal: AbortSignal,
  ): Promise<Found> {
    return this.#changes.until(() => found(this.#life), signal);
  }

  /** Resolves when the signal is aborted. Begins an agent that has not begun. */
  async run(asleep: boolean): Promise<void> {
    const { signal } = this.#options;
    this.apply({ type: "begun", asleep });
    while (!signal.aborted) await this.#step().catch(() => {});
  }

  async #step(): Promise<void> {
    const { signal, policy = defaultRetryPolicy } = this.#options;
    const life = this.#life;
    switch (life.at) {
      case "starting":
        return this.#start();
      case "up":
        return this.#beUp(life.session);
      case "restarting": {
        const { pause: wait = pauseInBackground } = this.#options;
        await wait(backOffMs(life.failures, policy, jitter), signal);
        if (!signal.aborted) this.apply({ type: "waited" });
        return;
      }
      default:
        if (life.at === "quarantined") await this.#body.quarantine(life.why);
        await this.until((now) => (now === life ? undefined : now), signal);
    }
  }

  async #start(): Promise<void> {
    const { signal } = this.#options;
    try {
      await this.#body.start((fact) => this.apply(fact), signal);
      this.apply({ type: "ready", nowMs: performance.now() });
    } catch (error) {
      await this.#lose(error instanceof Error ? error.message : String(error));
    }
  }

  async #beUp(session: Session): Promise<void> {
    const over = new AbortController();
    try {
      const lost = this.#body.untilLost(session);
      const why = await Promise.race([lost, this.#untilAtRest(session, over.signal)]);
      over.abort();
      if (why !== undefined) return await this.#lose(why);
      await this.#body.fallAsleep();
      await this.#body.leave(session);
      if (!this.#options.signal.aborted) this.apply({ type: "fell_asleep" });
    } catch (error) {
      over.abort();
      await this.#lose(error instanceof Error ? error.message : String(error));
    }
  }

  /** Resolves with the gate closed, unless the signal is aborted. */
  async #untilAtRest(session: Session, signal: AbortSignal): Promise<undefined> {
    for (;;) {
      await this.#body.untilIdle(signal);
      if (signal.aborted) return undefined;
      // It gets nothing more from here on. What it got, its session knows, though its events may not be here yet.
      this.apply({ type: "gate_closed" });
      const isAtRest = await this.#body.isAtRest(session);
      // It was lost meanwhile: the session of the next run is not ready before that run says so.
      if (signal.aborted || isAtRest) return undefined;
      this.apply({ type: "gate_opened" });
    }
  }

  /** The messages that the session did not get go back before people hear of the loss. */
  async #lose(why: string): Promise<void> {
    const nowMs = performance.now();
    this.apply({ type: "gate_closed" });
    await this.#body.leave(sessionOf(this.#life));
    if (!this.#options.signal.aborted) this.apply({ type: "lost", why, nowMs });
  }
}
