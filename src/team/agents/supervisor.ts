import { pause, untilAborted } from "../../time/abortable-waits.ts";
import { backOffMs } from "../../time/back-off.ts";
import { backgroundClock } from "../../time/clock.ts";
import type { RetryPolicy } from "../../wire/timeouts.ts";
import { defaultRetryPolicy } from "../../wire/timeouts.ts";
import { Changes } from "./wait-for-change.ts";
import type { Life, LifeFact, LifeLimits } from "./agent-states.ts";
import { nextLife, sessionOf } from "./agent-states.ts";

/** What the supervisor has an agent do in each of its states. */
export interface SupervisedSteps<Session> {
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
  /** Ends a run, because a person stops the agent; also one that may be there without this process knowing it. */
  end(): Promise<void>;
  /** The session is gone. */
  leave(session: Session | undefined): Promise<void>;
  /** It was put into quarantine. */
  quarantine(why: string): Promise<void>;
  /** Called after each change. */
  changed(before: Life<Session>, after: Life<Session>): void;
}

export interface SupervisorOptions extends LifeLimits {
  readonly policy?: RetryPolicy;
  /** Stops the supervisor. The steps end what runs. */
  readonly signal: AbortSignal;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Makes each pause a little shorter or longer at random, so that the agents of a team do not all start at once. */
const jitter = { from: 0.8, to: 1.2 };

const pauseInBackground = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, signal, backgroundClock);

/** Keeps an agent alive: starts it, starts it again after a back-off, lets it sleep, wakes it, puts it into quarantine. */
export class Supervisor<Session> {
  readonly #steps: SupervisedSteps<Session>;
  readonly #options: SupervisorOptions;
  #life: Life<Session> = { at: "stopped" };
  readonly #changes = new Changes();
  /** Aborts the present step, because a person stops the agent. */
  #cut = new AbortController();
  /** A person has asked it to hibernate: resolves with whether it does. */
  #sleepAsked: PromiseWithResolvers<boolean> | undefined;

  constructor(steps: SupervisedSteps<Session>, options: SupervisorOptions) {
    this.#steps = steps;
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
    if (this.#life.at === "ending") this.#cut.abort(new Error("The agent is being stopped."));
    this.#steps.changed(before, this.#life);
    this.#changes.happened();
  }

  /** Resolves with what `found` returns once that is not undefined. @throws the signal's reason. */
  until<Found>(
    found: (life: Life<Session>) => Found | undefined,
    signal: AbortSignal,
  ): Promise<Found> {
    return this.#changes.until(() => found(this.#life), signal);
  }

  /** Puts an agent to sleep that is at rest, without waiting for it to be idle for long. Returns false for any other. */
  hibernate(): Promise<boolean> {
    if (this.#life.at !== "up") return Promise.resolve(false);
    this.#sleepAsked ??= Promise.withResolvers<boolean>();
    this.#changes.happened();
    return this.#sleepAsked.promise;
  }

  /**
   * Keeps the agent alive until the signal is aborted, and resolves then.
   *
   * @param off why it is to stay stopped; undefined when it is not.
   */
  async run(asleep: boolean, off?: string): Promise<void> {
    const { signal } = this.#options;
    this.apply({ type: "begun", asleep, off });
    while (!signal.aborted) await this.#step().catch(() => {});
  }

  async #step(): Promise<void> {
    const { signal, policy = defaultRetryPolicy } = this.#options;
    const life = this.#life;
    this.#cut = new AbortController();
    const uncut = AbortSignal.any([signal, this.#cut.signal]);
    switch (life.at) {
      case "starting":
        return this.#start(uncut);
      case "up":
        return this.#beUp(life.session);
      case "restarting": {
        const { pause: wait = pauseInBackground } = this.#options;
        await wait(backOffMs(life.failures, policy, jitter), uncut);
        if (!signal.aborted) this.apply({ type: "waited" });
        return;
      }
      case "ending":
        return this.#end(life.session);
      default:
        if (life.at === "quarantined") await this.#steps.quarantine(life.why);
        await this.until((now) => (now === life ? undefined : now), signal);
    }
  }

  async #start(signal: AbortSignal): Promise<void> {
    try {
      await this.#steps.start((fact) => this.apply(fact), signal);
      this.apply({ type: "ready", nowMs: performance.now() });
    } catch (error) {
      if (this.#life.at === "ending") return;
      await this.#lose(error instanceof Error ? error.message : String(error));
    }
  }

  async #beUp(session: Session): Promise<void> {
    const over = new AbortController();
    try {
      const lost = this.#steps.untilLost(session);
      const cut = untilAborted(this.#cut.signal).then(() => undefined);
      const why = await Promise.race([lost, this.#untilAtRest(session, over.signal), cut]);
      over.abort();
      if (this.#life.at === "ending") return;
      if (why !== undefined) return await this.#lose(why);
      await this.#steps.fallAsleep();
      await this.#steps.leave(session);
      if (!this.#options.signal.aborted) this.apply({ type: "fell_asleep" });
    } catch (error) {
      over.abort();
      await this.#lose(error instanceof Error ? error.message : String(error));
    } finally {
      this.#answerSleep(this.#life.at === "asleep");
    }
  }

  /** Whatever goes wrong: the agent is off then, and what is left of its run is found by the next start. */
  async #end(session: Session | undefined): Promise<void> {
    try {
      await this.#steps.end();
      await this.#steps.leave(session);
    } finally {
      if (!this.#options.signal.aborted) this.apply({ type: "ended" });
    }
  }

  #answerSleep(isAsleep: boolean): void {
    this.#sleepAsked?.resolve(isAsleep);
    this.#sleepAsked = undefined;
  }

  /** Resolves when the agent has been idle for long, or a person wants it to hibernate, or the signal is aborted. */
  async #untilIdleOrAsked(signal: AbortSignal): Promise<void> {
    const asked = this.#changes.until(() => this.#sleepAsked, signal).catch(() => {});
    await Promise.race([this.#steps.untilIdle(signal), asked]);
  }

  /** Resolves with the gate closed, unless the signal is aborted. */
  async #untilAtRest(session: Session, signal: AbortSignal): Promise<undefined> {
    for (;;) {
      await this.#untilIdleOrAsked(signal);
      if (signal.aborted) return undefined;
      // From here on it gets no messages. Its session knows those that it has, even if their events have not been
      // read here yet.
      this.apply({ type: "gate_closed" });
      const isAtRest = await this.#steps.isAtRest(session);
      // It was lost meanwhile: the session of the next run is not ready before that run says so.
      if (signal.aborted || isAtRest) return undefined;
      this.apply({ type: "gate_opened" });
      this.#answerSleep(false);
    }
  }

  /** Gives back the messages that the session did not get, before people hear of the loss. */
  async #lose(why: string): Promise<void> {
    const nowMs = performance.now();
    this.apply({ type: "gate_closed" });
    await this.#steps.leave(sessionOf(this.#life));
    if (!this.#options.signal.aborted) this.apply({ type: "lost", why, nowMs });
  }
}
