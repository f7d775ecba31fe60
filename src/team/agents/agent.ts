import { setTimeout as delay } from "node:timers/promises";
import type { SessionClient } from "../../client/index.ts";
import { errorOf } from "../../wire/errors.ts";
import type { SessionAnswerOf } from "../../wire/session-answers.ts";
import type { SessionEventOf } from "../../wire/session-events.ts";
import type { AgentState } from "../../wire/team-events.ts";
import type { Answers } from "../delivery/answers.ts";
import { Courier } from "../delivery/courier.ts";
import type { Recipient } from "../delivery/recipient.ts";
import type { Sender } from "../delivery/router.ts";
import type { AgentSpec } from "../file/team.ts";
import { idOfCall } from "../messages/message-id.ts";
import type { Office } from "../office.ts";
import { checkBudgets } from "../rules/budgets.ts";
import type { AgentPlace } from "./agent-place.ts";
import { removeDeadSockets } from "./agent-place.ts";
import type { AgentProcess } from "./agent-process.ts";
import { endAgentProcess, findAgentProcess } from "./agent-process.ts";
import { AgentRecord } from "./agent-record.ts";
import { Approver } from "./approver.ts";
import { bringUp, untilToolsReported } from "./bring-up.ts";
import { Desk } from "./desk.ts";
import { Hearing } from "./hearing.ts";
import { confirmRole } from "./role.ts";
import { isCallTold, notTold } from "./told-call.ts";
import { untilAborted } from "./until-aborted.ts";

export interface AgentParts {
  readonly office: Office;
  readonly spec: AgentSpec;
  readonly place: AgentPlace;
  readonly answers: Answers;
  readonly cwd: string;
  readonly trust: boolean;
  readonly env: Record<string, string>;
  readonly onDelta: (agent: string, event: SessionEventOf<"text_delta">) => void;
}

/** How a life of the agent's process ended. */
export type LifeEnd =
  | { readonly how: "lost"; readonly why: string; readonly readyMs: number }
  | { readonly how: "hibernated" }
  | { readonly how: "stopped" };

/** The session's own word, where the desk may know less: it has not heard what was settled before. */
const isAtRest = (status: SessionAnswerOf<"status">): boolean =>
  status.state === "idle" &&
  status.queued.length + status.pending.length + (status.background_tasks ?? []).length === 0;

const SHUTDOWN_MS = 5000;

/** One agent: its process, its session, and what comes and goes there. */
export class Agent implements Recipient {
  readonly spec: AgentSpec;
  readonly place: AgentPlace;
  readonly desk: Desk;
  readonly approver: Approver;
  readonly courier: Courier;
  readonly record: AgentRecord;
  readonly #parts: AgentParts;
  #state: AgentState = "stopped";
  #session: SessionClient | undefined;
  #process: AgentProcess | undefined;
  /** The session, once all that it had told before has been heard. */
  #heardOut: SessionClient | undefined;
  /** Messages may be given to the session. */
  #isOpen = false;
  #toldSeq = 0;
  /** Ends when the session has no more to say. */
  #heard: Promise<void> = Promise.resolve();
  #idleSinceMs = performance.now();
  #wakeUp = Promise.withResolvers<void>();
  readonly #stop = new AbortController();

  constructor(parts: AgentParts) {
    const { office, spec } = parts;
    this.#parts = parts;
    this.spec = spec;
    this.place = parts.place;
    this.desk = new Desk(spec.id);
    this.record = new AgentRecord(office.bus.records, spec.id);
    this.approver = new Approver(office, spec, this.desk, () => this.#session);
    this.courier = new Courier(office, this);
  }

  get state(): AgentState {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get session(): SessionClient | undefined {
    return this.#isOpen ? this.#session : undefined;
  }

  get isBusy(): boolean {
    return this.desk.isBusy;
  }

  get isAsleep(): boolean {
    return this.#state === "hibernated";
  }

  hasSeen(id: string): boolean {
    return this.desk.hasSeen(id);
  }

  awaitsTurnOf(id: string): boolean {
    return this.desk.state.accepted.has(id);
  }

  hasCarried(id: string): boolean {
    return this.desk.hasCarried(id);
  }

  openCallFor(messageId: string): string | undefined {
    return this.desk.openCallFor(messageId);
  }

  isOpenCall(callId: string): boolean {
    return this.desk.state.calls.has(callId);
  }

  gotQuestion(id: string): void {
    this.desk.questions.add(id);
  }

  wake(): void {
    this.#wakeUp.resolve();
  }

  /** A budget that was spent after the message had been accepted. */
  refusalOf(taskId: string | undefined): Promise<Error | undefined> {
    const { office, spec } = this.#parts;
    return checkBudgets(office, { agents: [spec.id], task: taskId });
  }

  /**
   * Who speaks when this agent's tools are called, and in which matter.
   *
   * @throws `timeout` when the session does not tell of the call; what the signal says.
   */
  async sender(callId: string | undefined, signal: AbortSignal): Promise<Sender> {
    const { office, spec } = this.#parts;
    const calledAt = new Date();
    if (callId !== undefined) await this.#untilTold(callId, signal);
    const matter = await this.desk.matter(office.bus, office.tasks);
    return {
      spec,
      logId: this.#logId,
      thread: matter?.thread,
      taskId: matter?.taskId,
      calledAt,
      hasGot: (id) => this.desk.hasSeen(id) || this.desk.hasCarried(id),
    };
  }

  get #logId(): string {
    return this.record.note.log_id ?? this.spec.id;
  }

  /** Of a call that the session does not tell of nobody knows what it is about: the answer would have no place. */
  async #untilTold(callId: string, signal: AbortSignal): Promise<void> {
    const listening = {
      desk: this.desk,
      heardOut: () => this.#heardOut,
      isOver: () =>
        this.#stop.signal.aborted || ["hibernated", "quarantined"].includes(this.#state),
    };
    if (await isCallTold(callId, listening, signal)) return;
    // What the same call has sent before has its place.
    if (await this.#parts.office.bus.get(idOfCall(this.#logId, callId))) return;
    throw notTold(this.spec.id, callId);
  }

  /** @param toldSeq the newest event of its session's log that the timeline has. */
  begin(toldSeq: number): void {
    this.#toldSeq = toldSeq;
    this.courier.start();
  }

  /** One life of the agent's process, from its start until it is lost, hibernates or is stopped. */
  async live(): Promise<LifeEnd> {
    if (this.record.note.hibernated === true) await this.#sleep();
    if (this.#stop.signal.aborted) return { how: "stopped" };
    let readyAtMs: number | undefined;
    try {
      await this.#comeUp();
      readyAtMs = performance.now();
      return await this.#beUp(readyAtMs);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (this.#stop.signal.aborted) return { how: "stopped" };
      return { how: "lost", why, readyMs: 0 };
    } finally {
      await this.#goDown();
    }
  }

  /** Ends the process in stages, each bounded. True when it had to be killed. */
  async stop(): Promise<boolean> {
    this.#stop.abort(new Error("The team is being stopped."));
    this.#wakeUp.resolve();
    const delivered = this.courier.stop();
    // A session that hangs would hold up what is on its way there: that ends with the process.
    const wasKilled = await this.#end();
    // What it said last is told before the books are closed.
    await atMost(SHUTDOWN_MS, Promise.all([delivered, this.#heard]));
    this.enter("stopped");
    return wasKilled;
  }

  enter(state: AgentState, reason?: string): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#parts.office.timeline.append({
      type: "agent_state",
      agent: this.spec.id,
      state,
      ...(reason !== undefined && { reason }),
    });
    this.courier.poke();
  }

  async #comeUp(): Promise<void> {
    const { office, spec } = this.#parts;
    const seconds = office.team.timeouts.startMs / 1000;
    const late = new AbortController();
    const timer = setTimeout(() => {
      const message = `${spec.id} was not ready within ${seconds} s.`;
      const data = { timeout_seconds: seconds, agent_id: spec.id };
      late.abort(errorOf("timeout", message, { data }));
    }, seconds * 1000);
    const inTime = AbortSignal.any([this.#stop.signal, late.signal]);
    try {
      // Whatever it hangs in: what is left behind ends with the session.
      await Promise.race([this.#getReady(inTime), untilAborted(inTime)]);
    } catch (error) {
      inTime.throwIfAborted();
      throw error;
    } finally {
      clearTimeout(timer);
    }
    this.#isOpen = true;
    this.#show();
    this.courier.poke();
  }

  async #getReady(inTime: AbortSignal): Promise<void> {
    const { office, spec, place, cwd, trust, env } = this.#parts;
    const { team } = office;
    this.enter("starting");
    const { session_id: resume, since = 0, log_id } = this.record.note;
    const start = { team, spec, place, cwd, trust, resume };
    const { session, process } = await bringUp(start, env, this.record, inTime);
    this.#session = session;
    this.#process = process;
    const { init } = session;
    const isSameLog = init.log_id === log_id;
    await this.#keepPlace(session, isSameLog);
    inTime.throwIfAborted();
    if (!isSameLog) this.#toldSeq = 0;
    const hearing = this.#listen(session, isSameLog && since <= init.last_seq ? since : 0);
    await hearing.caughtUp;
    if (this.#session === session) this.#heardOut = session;
    await untilToolsReported(session, inTime);
    if (team.confirmRoles && this.record.note.confirmed !== true) {
      this.enter("confirming");
      await confirmRole(session, spec, this.desk, inTime);
    }
    await this.record.save({ confirmed: true, hibernated: false });
  }

  async #keepPlace({ init, place }: SessionClient, isSameLog: boolean): Promise<void> {
    const { timeline } = this.#parts.office;
    if (!isSameLog) await timeline.flushed();
    await this.record.save({
      log_id: place.logId,
      epoch: place.epoch,
      ...(init.session_id && { session_id: init.session_id }),
      ...(!isSameLog && { since: 0, met_at: timeline.lastSeq }),
    });
  }

  #listen(session: SessionClient, since: number): Hearing {
    const { office, spec, answers, onDelta } = this.#parts;
    this.desk.reset(session.place.logId, since);
    const hearing = new Hearing(session, {
      office,
      spec,
      answers,
      desk: this.desk,
      record: this.record,
      courier: this.courier,
      approver: this.approver,
      since,
      toldSeq: this.#toldSeq,
      onChange: () => this.#show(),
      onDelta: (event) => onDelta(spec.id, event),
    });
    this.#heard = hearing.listen().finally(() => (this.#toldSeq = hearing.toldSeq));
    return hearing;
  }

  async #beUp(readyAtMs: number): Promise<LifeEnd> {
    const session = this.#session;
    if (!session) return { how: "stopped" };
    const over = new AbortController();
    const lost = Promise.race([
      session.closed.then((error) => error?.message ?? "its session was ended"),
      ...(this.#process ? [this.#process.exited.then(() => "its process ended")] : []),
    ]);
    const why = await Promise.race([lost, this.#untilAtRest(session, over.signal)]);
    over.abort();
    if (this.#stop.signal.aborted) return { how: "stopped" };
    if (why !== undefined) return { how: "lost", why, readyMs: performance.now() - readyAtMs };
    await this.record.save({ hibernated: true });
    await this.#end();
    return { how: "hibernated" };
  }

  /** Resolves when nothing has happened for so long that the agent may sleep, and nothing is about to. */
  async #untilAtRest(session: SessionClient, signal: AbortSignal): Promise<undefined> {
    for (;;) {
      await this.#untilIdle(signal);
      // Nothing more is given to it from here on; what was, its session knows, though we may not have heard.
      this.#isOpen = false;
      const status = await session.status().catch(() => undefined);
      // It was lost meanwhile: the session of the next life is not ready before that says so.
      if (signal.aborted || (status && isAtRest(status))) return;
      this.#isOpen = true;
      this.#show();
    }
  }

  /** Resolves when nothing has been heard for so long. */
  async #untilIdle(signal: AbortSignal): Promise<void> {
    const { idleMs } = this.#parts.office.team.timeouts;
    this.#idleSinceMs = performance.now();
    while (!signal.aborted) {
      const stepMs = Math.min(1000, Math.max(50, idleMs / 4));
      await delay(stepMs, undefined, { signal, ref: false }).catch(() => {});
      const isFree = this.desk.isIdle && this.#parts.office.waits.of(this.spec.id).length === 0;
      if (!isFree) this.#idleSinceMs = performance.now();
      if (isFree && performance.now() - this.#idleSinceMs >= idleMs) return;
    }
    await new Promise(() => {});
  }

  async #sleep(): Promise<void> {
    this.#wakeUp = Promise.withResolvers();
    this.enter("hibernated");
    if (!this.#stop.signal.aborted) await this.#wakeUp.promise;
  }

  async #goDown(): Promise<void> {
    this.#isOpen = false;
    const session = this.#session;
    this.#session = undefined;
    this.#heardOut = undefined;
    await session?.close();
    if (!this.#stop.signal.aborted) await this.courier.sessionLost("The agent's process ended.");
  }

  async #end(): Promise<boolean> {
    const session = this.#session;
    this.#isOpen = false;
    const asked = session?.shutdown().catch(() => {});
    // One that is being started, or was left by a process before this one, only the record knows.
    const running = this.#process?.isAlive()
      ? this.#process
      : findAgentProcess(this.record.note.process);
    const wasKilled = running && (await endAgentProcess(running, session ? SHUTDOWN_MS : 0));
    if (!running && asked) await atMost(SHUTDOWN_MS, asked);
    await session?.close();
    await removeDeadSockets(this.place);
    return wasKilled === true;
  }

  /** Its state as its session tells it. */
  #show(): void {
    if (!this.#isOpen) return;
    this.#idleSinceMs = performance.now();
    const { pending } = this.desk.state;
    if (pending.size > 0) this.enter("waiting");
    else this.enter(this.desk.isBusy ? "working" : "ready");
    this.courier.poke();
  }
}

const atMost = (ms: number, done: Promise<unknown>): Promise<unknown> =>
  Promise.race([done, delay(ms, undefined, { ref: false })]);
