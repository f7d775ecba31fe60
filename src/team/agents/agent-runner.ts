import type { SessionClient, SessionView } from "../../client/index.ts";
import { unlessAborted } from "../../time/abortable-waits.ts";
import { backgroundClock } from "../../time/clock.ts";
import { settlesWithin } from "../../time/time-limit.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentSpec, Team } from "../file/team.ts";
import type { AgentRun, HostedAgent } from "../host/agent-host.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { AgentRecord } from "./stored-agent-record.ts";
import { mayBePutToSleep } from "./may-be-put-to-sleep.ts";
import { settingsToStartWith } from "./settings-chosen-by-person.ts";
import { Changes } from "./wait-for-change.ts";
import { connectAgentSession } from "./connect-agent-session.ts";
import { IdleWatch } from "./idle-watch.ts";
import type { SupervisedSteps } from "./supervisor.ts";
import { Supervisor } from "./supervisor.ts";
import type { Life, LifeFact } from "./agent-states.ts";
import { caughtUpSessionOf, sessionOf } from "./agent-states.ts";
import { confirmRole } from "./confirm-role.ts";
import type { SessionReader } from "./session-reader.ts";
import { untilToolsReported } from "./wait-for-tools.ts";

/** A session of the agent, and the run that holds it. */
export interface AgentSession {
  readonly client: SessionClient;
  readonly run: AgentRun;
}

/** Where the reading of a session begins. */
export interface ReadFrom {
  /** The last event before those that the session sends. */
  readonly since: number;
  /** The newest event of the session that the timeline has already. */
  readonly publishedSeq: number;
  readonly onEvent: () => void;
}

export interface AgentRunnerOptions {
  readonly team: Pick<Team, "timeouts" | "limits" | "confirmRoles">;
  readonly spec: AgentSpec;
  readonly hosted: Pick<
    HostedAgent,
    "untilStartable" | "start" | "stop" | "moveTo" | "outlivesOffice"
  >;
  readonly record: AgentRecord;
  readonly timeline: Pick<Timeline, "flushed" | "lastSeq">;
  readonly view: SessionView;
  /** Whether the agent has nothing to do. */
  readonly isFree: () => boolean;
  /** Makes the reader of a session that was just connected. */
  readonly makeReader: (session: SessionClient, from: ReadFrom) => SessionReader;
  readonly onChange: (life: Life<AgentSession>) => void;
  /** The session is gone, and the agent is not being stopped. */
  readonly onLost: () => Promise<void>;
  readonly onQuarantine: (why: string) => Promise<void>;
  /** It had to begin a new conversation, and is to be told what it was working on. May be called again after a crash. */
  readonly onForgot: (session: SessionClient, why: string) => Promise<void>;
}

const SHUTDOWN_MS = 5000;

/** Starts an agent where it runs, keeps it alive, lets it hibernate and ends it. */
export class AgentRunner implements SupervisedSteps<AgentSession> {
  readonly #options: AgentRunnerOptions;
  readonly #supervisor: Supervisor<AgentSession>;
  readonly #idle: IdleWatch;
  readonly #events = new Changes();
  readonly #stop = new AbortController();
  #publishedSeq = 0;
  #isMoving = false;
  /** Ends when the session has no more events. */
  #reading: Promise<void> = Promise.resolve();

  constructor(options: AgentRunnerOptions) {
    this.#options = options;
    const { timeouts, limits } = options.team;
    this.#idle = new IdleWatch(timeouts.idleMs, options.isFree);
    this.#supervisor = new Supervisor(this, {
      stableMs: timeouts.stableMs,
      failedStarts: limits.failed_starts,
      signal: this.#stop.signal,
    });
  }

  get now(): Life<AgentSession> {
    return this.#supervisor.life;
  }

  /** Starts an agent that hibernates. */
  wake(): void {
    this.#supervisor.apply({ type: "woken" });
  }

  /**
   * Stops the agent until a person starts it again, also over a restart of the team. Resolves when its run has ended.
   *
   * @throws when the team is being stopped meanwhile; the agent stays stopped all the same.
   */
  async switchOff(by: string): Promise<void> {
    const why = `stopped by ${by}`;
    // Written down first: a process of the team that is killed now leaves it stopped.
    await this.#options.record.save({ stopped: why, resting_since: new Date().toISOString() });
    this.#supervisor.apply({ type: "stop_asked", why });
    await this.#supervisor.until(isOff, this.#stop.signal);
  }

  /** Starts an agent that a person has stopped, that hibernates or that is quarantined. */
  async switchOn(): Promise<void> {
    await this.#supervisor.until(hasEnded, this.#stop.signal);
    const { record } = this.#options;
    if (record.note.stopped != null) await record.save({ stopped: null });
    this.#supervisor.apply({ type: "start_asked" });
  }

  /**
   * Moves the agent to another machine. Its run is ended and begins again there, unless a person has stopped it: then its next start
   * is there.
   *
   * @returns the machine that has it now.
   */
  async moveTo(
    ...[host, ...how]: Parameters<HostedAgent["moveTo"]>
  ): ReturnType<HostedAgent["moveTo"]> {
    const { hosted, record } = this.#options;
    const moved = await hosted.moveTo(host, ...how);
    const { at } = this.#supervisor.life;
    if (at === "off" || at === "ending") return moved;
    if (at === "asleep" || at === "quarantined") {
      this.#supervisor.apply({ type: "start_asked" });
      return moved;
    }
    await record.save({ resting_since: new Date().toISOString() });
    this.#isMoving = true;
    this.#supervisor.apply({ type: "stop_asked", why: `moves to ${host}` });
    void this.#supervisor
      .until(isOff, this.#stop.signal)
      // A person may have stopped it meanwhile.
      .then(() => record.note.stopped == null && this.#supervisor.apply({ type: "start_asked" }))
      .catch(() => {});
    return moved;
  }

  /** Puts an agent to sleep that has nothing to do. Returns false for one that has, or is not up. */
  async hibernate(): Promise<boolean> {
    return this.#options.isFree() && (await this.#supervisor.hibernate());
  }

  /**
   * Keeps the agent alive. Resolves when it was stopped.
   *
   * @param publishedSeq the newest event of its session's log that the timeline has.
   */
  async run(publishedSeq: number): Promise<void> {
    this.#publishedSeq = publishedSeq;
    const { hibernated, stopped } = this.#options.record.note;
    await this.#supervisor.run(hibernated === true, stopped ?? undefined);
  }

  /**
   * Ends the run in stages, each bounded. True when it had to be killed.
   *
   * @param stopInbox is called before the run ends, and has that time too.
   */
  async stop(stopInbox: () => Promise<void>): Promise<boolean> {
    this.#stop.abort(new Error("The team is being stopped."));
    const delivered = stopInbox();
    // A session that hangs would hold up deliveries to it; they end with the run.
    const wasKilled = await this.#end();
    // What it said last is published before the records are closed.
    await settlesWithin(Promise.all([delivered, this.#reading]), SHUTDOWN_MS, backgroundClock);
    this.#supervisor.apply({ type: "stopped" });
    return wasKilled;
  }

  /** Another office has the team: lets a run go on that it reaches too, and ends any other. */
  async leaveToOffice(stopInbox: () => Promise<void>): Promise<void> {
    if (!this.#options.hosted.outlivesOffice) return void (await this.stop(stopInbox));
    this.#stop.abort(new Error("The team has another office."));
    const delivered = stopInbox();
    const session = sessionOf(this.#supervisor.life)?.client;
    this.#supervisor.apply({ type: "gate_closed" });
    await session?.close();
    await settlesWithin(Promise.all([delivered, this.#reading]), SHUTDOWN_MS, backgroundClock);
  }

  /** Resolves with undefined when no session will come: the agent hibernates, is quarantined, is stopped or stops. */
  async untilCaughtUp(signal: AbortSignal): Promise<SessionClient | undefined> {
    const { signal: stop } = this.#stop;
    try {
      const session = await this.#supervisor.until(sessionToCome, AbortSignal.any([signal, stop]));
      return session === "none" ? undefined : session.client;
    } catch (error) {
      if (signal.aborted) throw error;
      return undefined;
    }
  }

  async start(report: (fact: LifeFact<AgentSession>) => void, stop: AbortSignal): Promise<void> {
    const { team, spec, record, hosted } = this.#options;
    // However long it takes: an agent whose machine is away has not failed.
    const wait = (why: string): void => report({ type: "awaited", why });
    await hosted.untilStartable(wait, stop, record.note.session_id);
    report({ type: "awaited", why: undefined });
    // If this start fails, another one follows; the agent does not go back to sleep.
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
      // Wherever it hangs, what it leaves behind ends with the session.
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
    const { team, spec, hosted, record, view, onForgot } = this.#options;
    const { session_id: resume, since = 0, log_id } = record.note;
    const settings = settingsToStartWith(record.note.chosen, spec);
    const run = await hosted.start(resume, inTime, settings);
    const { mark, forgot } = run;
    await record.save({ run: mark, ...(forgot !== undefined && { forgot }) });
    const session = await connectAgentSession(run, record.note, inTime);
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
    if (record.note.forgot == null) return;
    await onForgot(session, record.note.forgot);
    await record.save({ forgot: null });
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
    this.#options.view.reset(session.place.logId, since, session.init);
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
    return status !== undefined && mayBePutToSleep(status);
  }

  async fallAsleep(): Promise<void> {
    await this.#options.record.save({ hibernated: true, resting_since: new Date().toISOString() });
    await this.#end();
  }

  async end(): Promise<void> {
    // A turn that runs goes on where the agent moves to, as after a crash. To end it would give its tasks up.
    await this.#end(this.#isMoving && !this.#options.isFree());
    this.#isMoving = false;
    // What it said last is published before people hear that it is stopped.
    await settlesWithin(this.#reading, SHUTDOWN_MS, backgroundClock);
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

  async #end(cut = false): Promise<boolean> {
    const session = sessionOf(this.#supervisor.life)?.client;
    this.#supervisor.apply({ type: "gate_closed" });
    const asked = cut ? undefined : session?.shutdown().catch(() => {});
    const outcome = await this.#options.hosted.stop(session ? SHUTDOWN_MS : 0, cut);
    if (outcome === "not_seen" && asked) await settlesWithin(asked, SHUTDOWN_MS, backgroundClock);
    await session?.close();
    return outcome === "killed";
  }
}

const isOff = ({ at }: Life<AgentSession>): true | undefined => at === "off" || undefined;

const hasEnded = ({ at }: Life<AgentSession>): true | undefined => at !== "ending" || undefined;

const none: ReadonlySet<Life<AgentSession>["at"]> = new Set([
  "asleep",
  "quarantined",
  "ending",
  "off",
]);

const sessionToCome = (life: Life<AgentSession>): AgentSession | "none" | undefined =>
  none.has(life.at) ? "none" : caughtUpSessionOf(life);
