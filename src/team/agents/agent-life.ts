import type { SessionClient, SessionView } from "../../client/index.ts";
import { unlessAborted } from "../../time/abort.ts";
import { backgroundClock } from "../../time/clock.ts";
import { settlesWithin } from "../../time/deadline.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentSpec, Team } from "../file/team.ts";
import type { AgentRun, HostedAgent } from "../host/agent-host.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { AgentRecord } from "./agent-record.ts";
import { isAtRest } from "./at-rest.ts";
import { Changes } from "./wait-until.ts";
import { connectRun } from "./connect-run.ts";
import { IdleWatch } from "./idle-watch.ts";
import type { AgentBody } from "./life-loop.ts";
import { LifeLoop } from "./life-loop.ts";
import type { Life, LifeFact } from "./life.ts";
import { caughtUpSessionOf, sessionOf } from "./life.ts";
import { confirmRole } from "./role.ts";
import type { SessionReader } from "./session-reader.ts";
import { untilToolsReported } from "./tools-reported.ts";

/** A session of the agent, and the run that holds it. */
export interface AgentSession {
  readonly client: SessionClient;
  readonly run: AgentRun;
}

/** From where on a session is read. */
export interface ReadFrom {
  /** The last event before those that the session sends. */
  readonly since: number;
  /** The newest event of the session that the timeline has already. */
  readonly publishedSeq: number;
  readonly onEvent: () => void;
}

export interface AgentLifeOptions {
  readonly team: Pick<Team, "timeouts" | "limits" | "confirmRoles">;
  readonly spec: AgentSpec;
  readonly hosted: Pick<HostedAgent, "start" | "stop">;
  readonly record: AgentRecord;
  readonly timeline: Pick<Timeline, "flushed" | "lastSeq">;
  readonly view: SessionView;
  /** Whether the agent has nothing to do. */
  readonly isFree: () => boolean;
  /** Makes what reads a session that was just connected to. */
  readonly makeReader: (session: SessionClient, from: ReadFrom) => SessionReader;
  readonly onChange: (life: Life<AgentSession>) => void;
  /** The session is gone, and the agent is not being stopped. */
  readonly onLost: () => Promise<void>;
  readonly onQuarantine: (why: string) => Promise<void>;
}

const SHUTDOWN_MS = 5000;

/** Starts an agent where it runs, keeps it alive, lets it hibernate and ends it. */
export class AgentLife implements AgentBody<AgentSession> {
  readonly #options: AgentLifeOptions;
  readonly #loop: LifeLoop<AgentSession>;
  readonly #idle: IdleWatch;
  readonly #events = new Changes();
  readonly #stop = new AbortController();
  #publishedSeq = 0;
  /** Ends when the session has no more events. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: AgentLifeOptions) {
    this.#options = options;
    const { timeouts, limits } = options.team;
    this.#idle = new IdleWatch(timeouts.idleMs, options.isFree);
    this.#loop = new LifeLoop(this, {
      stableMs: timeouts.stableMs,
      failedStarts: limits.failed_starts,
      signal: this.#stop.signal,
    });
  }

  get now(): Life<AgentSession> {
    return this.#loop.life;
  }

  /** Starts an agent that hibernates. */
  wake(): void {
    this.#loop.apply({ type: "woken" });
  }

  /** Lifts a quarantine. */
  lift(): void {
    this.#loop.apply({ type: "lifted" });
  }

  /**
   * Keeps the agent alive. Resolves when it was stopped.
   *
   * @param publishedSeq the newest event of its session's log that the timeline has.
   */
  async run(publishedSeq: number): Promise<void> {
    this.#publishedSeq = publishedSeq;
    await this.#loop.run(this.#options.record.note.hibernated === true);
  }

  /**
   * Ends the run in stages, each bounded. True when it had to be killed.
   *
   * @param stopInbox is called before the run ends, and has that time too.
   */
  async stop(stopInbox: () => Promise<void>): Promise<boolean> {
    this.#stop.abort(new Error("The team is being stopped."));
    const delivered = stopInbox();
    // A session that hangs would hold up what is on its way there: that ends with the run.
    const wasKilled = await this.#end();
    // What it said last is published before the books are closed.
    await settlesWithin(Promise.all([delivered, this.#reading]), SHUTDOWN_MS, backgroundClock);
    this.#loop.apply({ type: "stopped" });
    return wasKilled;
  }

  /** Resolves with undefined when no session is to come: the agent hibernates, is quarantined or stops. */
  async untilCaughtUp(signal: AbortSignal): Promise<SessionClient | undefined> {
    const { signal: stop } = this.#stop;
    try {
      const session = await this.#loop.until(sessionToCome, AbortSignal.any([signal, stop]));
      return session === "none" ? undefined : session.client;
    } catch (error) {
      if (signal.aborted) throw error;
      return undefined;
    }
  }

  async start(report: (fact: LifeFact<AgentSession>) => void, stop: AbortSignal): Promise<void> {
    const { team, spec, record } = this.#options;
    // A start that fails now is followed by another one, not by sleep.
    if (record.note.hibernated === true) await record.save({ hibernated: false });
    const seconds = team.timeouts.startMs / 1000;
    const late = new AbortController();
    const inTime = AbortSignal.any([stop, late.signal]);
    const cancel = backgroundClock.after(seconds * 1000, () => {
      const message = `${spec.id} was not ready within ${seconds} s.`;
      const data = { timeout_seconds: seconds, agent_id: spec.id };
      late.abort(errorOf("timeout", message, { data }));
    });
    try {
      // Whatever it hangs in: what is left behind ends with the session.
      await unlessAborted(this.#getReady(report, inTime), inTime);
    } catch (error) {
      inTime.throwIfAborted();
      throw error;
    } finally {
      cancel();
    }
  }

  async #getReady(
    report: (fact: LifeFact<AgentSession>) => void,
    inTime: AbortSignal,
  ): Promise<void> {
    const { team, spec, hosted, record, view } = this.#options;
    const { session_id: resume, since = 0, log_id } = record.note;
    const run = await hosted.start(resume, inTime);
    await record.save({ run: run.mark });
    const session = await connectRun(run, record.note, inTime);
    if (inTime.aborted) await session.close();
    inTime.throwIfAborted();
    report({ type: "connected", session: { client: session, run } });
    const { init } = session;
    const isSameLog = init.log_id === log_id;
    await this.#keepPlace(session, isSameLog);
    inTime.throwIfAborted();
    if (!isSameLog) this.#publishedSeq = 0;
    const reader = this.#read(session, isSameLog && since <= init.last_seq ? since : 0);
    await reader.caughtUp;
    inTime.throwIfAborted();
    report({ type: "caught_up" });
    await untilToolsReported(session, spec, inTime);
    if (team.confirmRoles && record.note.confirmed !== true) {
      inTime.throwIfAborted();
      report({ type: "role_asked" });
      await confirmRole(session, spec, view, this.#events, inTime);
    }
    await record.save({ confirmed: true });
  }

  async #keepPlace({ init, place }: SessionClient, isSameLog: boolean): Promise<void> {
    const { timeline, record } = this.#options;
    if (!isSameLog) await timeline.flushed();
    await record.save({
      log_id: place.logId,
      epoch: place.epoch,
      ...(init.session_id && { session_id: init.session_id }),
      ...(!isSameLog && { since: 0, met_at: timeline.lastSeq }),
    });
  }

  #read(session: SessionClient, since: number): SessionReader {
    this.#options.view.reset(session.place.logId, since);
    const reader = this.#options.makeReader(session, {
      since,
      publishedSeq: this.#publishedSeq,
      onEvent: () => {
        this.#idle.touch();
        this.#events.happened();
      },
    });
    this.#reading = reader.read().finally(() => (this.#publishedSeq = reader.publishedSeq));
    return reader;
  }

  untilLost({ client, run }: AgentSession): Promise<string> {
    return Promise.race([
      client.closed.then((error) => error?.message ?? "its session was ended"),
      run.gone.then(() => "its process ended"),
    ]);
  }

  untilIdle(signal: AbortSignal): Promise<void> {
    return this.#idle.untilIdle(signal);
  }

  async isAtRest({ client }: AgentSession): Promise<boolean> {
    const status = await client.status().catch(() => undefined);
    return status !== undefined && isAtRest(status);
  }

  async fallAsleep(): Promise<void> {
    await this.#options.record.save({ hibernated: true });
    await this.#end();
  }

  async leave(session: AgentSession | undefined): Promise<void> {
    await session?.client.close();
    if (!this.#stop.signal.aborted) await this.#options.onLost();
  }

  quarantine(why: string): Promise<void> {
    return this.#options.onQuarantine(why);
  }

  changed(_before: Life<AgentSession>, life: Life<AgentSession>): void {
    this.#idle.touch();
    this.#options.onChange(life);
  }

  async #end(): Promise<boolean> {
    const session = sessionOf(this.#loop.life)?.client;
    this.#loop.apply({ type: "gate_closed" });
    const asked = session?.shutdown().catch(() => {});
    const outcome = await this.#options.hosted.stop(session ? SHUTDOWN_MS : 0);
    if (outcome === "not_seen" && asked) await settlesWithin(asked, SHUTDOWN_MS, backgroundClock);
    await session?.close();
    return outcome === "killed";
  }
}

const sessionToCome = (life: Life<AgentSession>): AgentSession | "none" | undefined =>
  life.at === "asleep" || life.at === "quarantined" ? "none" : caughtUpSessionOf(life);
