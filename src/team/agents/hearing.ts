import { setTimeout as delay } from "node:timers/promises";
import type { SessionClient, SessionItem } from "../../client/index.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { SessionEvent, SessionEventOf } from "../../wire/session-events.ts";
import type { AgentSpec } from "../file/team.ts";
import type { Answers } from "../delivery/answers.ts";
import type { Courier } from "../delivery/courier.ts";
import type { Office } from "../office.ts";
import { tellTrouble } from "../office.ts";
import { purses } from "../record/spending.ts";
import type { AgentRecord } from "./agent-record.ts";
import type { Approver } from "./approver.ts";
import type { Desk } from "./desk.ts";
import { LostTurns } from "./lost-turns.ts";
import { narrate, tokensOf } from "./narrate.ts";

const AGAIN_MS = 1000;

export interface HearingParts {
  readonly office: Office;
  readonly spec: AgentSpec;
  readonly desk: Desk;
  readonly record: AgentRecord;
  readonly courier: Courier;
  readonly answers: Answers;
  readonly approver: Approver;
  /** The event after which the session tells, not what has arrived of it so far. */
  readonly since: number;
  /** The newest event of the session that the timeline has already. */
  readonly toldSeq: number;
  readonly onChange: () => void;
  readonly onDelta: (event: SessionEventOf<"text_delta">) => void;
}

/**
 * Listens to an agent's session. Whatever it does because of an event can be done again: after a crash of
 * this process the events since the last settled turn are heard a second time.
 */
export class Hearing {
  readonly #parts: HearingParts;
  readonly #session: SessionClient;
  readonly #caughtUp = Promise.withResolvers<void>();
  #isCaughtUp = false;
  #isOver = false;
  #lastError: string | undefined;
  #toldSeq: number;
  readonly #lostTurns = new LostTurns();

  constructor(session: SessionClient, parts: HearingParts) {
    this.#session = session;
    this.#parts = parts;
    this.#toldSeq = parts.toldSeq;
    // Nobody has to wait for it.
    this.#caughtUp.promise.catch(() => {});
    void session.closed.then(() => (this.#isOver = true));
  }

  /** Resolves when all that had happened before the connection was made has been heard. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise;
  }

  get toldSeq(): number {
    return this.#toldSeq;
  }

  /** Resolves when the session has no more to say. */
  async listen(): Promise<void> {
    const upto = this.#session.init.last_seq;
    if (this.#parts.since >= upto) this.#arrive();
    try {
      for await (const item of this.#session.events()) {
        await this.#hear(item);
        if (!this.#isCaughtUp && item.type !== "reset" && item.seq >= upto) this.#arrive();
      }
    } catch (error) {
      this.#parts.office.log.debug({ err: error }, "A session was lost.");
    } finally {
      this.#caughtUp.reject(new Error("The session ended."));
    }
  }

  #arrive(): void {
    this.#isCaughtUp = true;
    this.#caughtUp.resolve();
    this.#parts.approver.look();
    this.#parts.onChange();
    void this.#giveUpPoison();
  }

  async #hear(item: SessionItem): Promise<void> {
    const { desk, office, onDelta } = this.#parts;
    if (item.type === "reset") {
      desk.reset(item.logId);
      return;
    }
    desk.apply(item);
    if (desk.state.inSnapshot || item.type.startsWith("snapshot_")) return;
    // It repeats what was told before, though not all of it may have been dealt with.
    if (desk.isReadingSnapshot) this.#toldSeq = item.seq;
    if (item.type === "text_delta") {
      if (item.parent === undefined) onDelta(item);
      return;
    }
    if (item.type.endsWith("_delta")) return;
    const isNews = item.seq > this.#toldSeq;
    this.#tell(item);
    try {
      await this.#act(item, isNews);
    } catch (error) {
      tellTrouble(office, `An event of ${this.#parts.spec.id} could not be dealt with`, error);
    }
  }

  async #act(event: SessionEvent, isNews: boolean): Promise<void> {
    const { office, spec, courier, desk, record, approver, onChange } = this.#parts;
    switch (event.type) {
      case "user_message":
        await this.#expectTurnOf(event);
        break;
      case "message_seen":
        await courier.seen(event.id);
        break;
      case "message_dropped":
        await courier.dropped(event.id, event.reason);
        break;
      case "tool_result":
        await courier.callEnded(event.request_id, desk.carriedBy(event.request_id));
        break;
      case "error":
        this.#lastError = event.message;
        break;
      case "session_changed":
        await record.save({ session_id: event.session_id });
        break;
      case "approval_resolved":
        await approver.resolved(event, isNews);
        break;
      case "compacted":
        await courier.remind();
        break;
      case "done":
        await this.#settleTurn(event);
        break;
      default:
        break;
    }
    if (!isHousekeeping(event)) office.tasks.touch(spec.id);
    if (this.#isCaughtUp) approver.look();
    if (event.type === "turn_started") this.#lastError = undefined;
    if (changesState(event)) onChange();
  }

  /**
   * An answer that a session has is dealt with by the turn that ends it, and by no earlier one. A process
   * that begins now knows only of those that are still in an inbox.
   */
  async #expectTurnOf({ id, quiet }: SessionEventOf<"user_message">): Promise<void> {
    const { bus, parts } = this.#parts.office;
    const message = quiet === true ? undefined : (await bus.get(id))?.message;
    if (message) await parts.answered(message);
  }

  /** An answer hangs on the end of a turn: a disk that is full for a while must not lose it. */
  async #settleTurn(event: SessionEventOf<"done">): Promise<void> {
    const { office, spec } = this.#parts;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#turnEnded(event);
      } catch (error) {
        const mayPass = error instanceof ClaudeCodeError && error.retryable;
        // The next life of the agent hears of it again.
        if (!mayPass || this.#isOver) throw error;
        if (attempt === 1) tellTrouble(office, `The end of ${spec.id}'s turn has to wait`, error);
        await delay(AGAIN_MS, undefined, { ref: false });
      }
    }
  }

  /** Can be done again, if it fails on the way. */
  async #turnEnded(event: SessionEventOf<"done">): Promise<void> {
    const { answers, courier, desk, spec } = this.#parts;
    await this.#pay(event);
    // Whether or not the conversation has them: nothing more will be told of them.
    for (const id of event.messages) await courier.seen(id);
    const messages = [...event.messages, ...desk.questions];
    await answers.turnEnded(spec.id, {
      messages,
      named: event.messages,
      stopReason: event.stop_reason,
      text: desk.text.final,
      unread: desk.unreadInTurn,
      error: this.#lastError,
    });
    desk.questions.clear();
    await this.#tellDone(event);
    await courier.turnEnded();
    this.#lostTurns.ended(desk.endedTurn, event);
    if (this.#isCaughtUp) await this.#giveUpPoison();
  }

  async #tellDone({ messages, seq }: SessionEventOf<"done">): Promise<void> {
    const { desk, office, record } = this.#parts;
    const stored = await Promise.all(messages.map((id) => office.bus.get(id)));
    for (const one of stored) {
      if (!one) continue;
      const { id, from_agent, to_agent } = one.message;
      office.timeline.append({ type: "message_moved", id, from_agent, to_agent, step: "done" });
    }
    // All up to here is settled; what comes after is heard again after a crash. Not before the steps are told.
    if (desk.isBusy) return;
    const { logId: log_id, epoch } = this.#session.place;
    office.timeline.thenWrite([record.change({ since: seq, log_id, epoch })]);
  }

  /** What the session did not survive again and again is not tried once more: whoever asked for it is told. */
  async #giveUpPoison(): Promise<void> {
    const { answers, desk, office, spec } = this.#parts;
    const times = office.team.limits.delivery_attempts;
    const poison = this.#lostTurns.over(times);
    if (poison.length === 0) return;
    const agent = spec.id;
    const message = `${agent} was lost ${times} times while it worked on this, so it is not tried again.`;
    const hint = `What it did last is in its session: switchboard attach ${agent}`;
    try {
      for (const id of poison) {
        const matter = await desk.matterOf([id], office.bus, office.tasks);
        const task = office.tasks.get(matter?.taskId ?? "");
        if (task) await answers.giveUp(task, message);
      }
      office.timeline.append({ type: "notice", agent, level: "error", message, hint });
      await this.#session.abort();
    } catch (error) {
      tellTrouble(office, `${agent} could not be freed of a message`, error);
    }
  }

  async #pay(event: SessionEventOf<"done">): Promise<void> {
    const { office, spec, desk } = this.#parts;
    const matter = await desk.matterOf(desk.endedTurn, office.bus, office.tasks);
    const lineage = await office.tasks.lineage(matter?.taskId ?? null);
    const wallets = [
      purses.team,
      purses.agent(spec.id),
      ...lineage.map(({ id }) => purses.task(id)),
    ];
    await office.spending.add(`${desk.logId}/${event.turn_id}`, wallets, {
      usd: event.cost_usd,
      tokens: tokensOf(event),
      turns: 1,
    });
  }

  /** What people read, once each: events that are heard a second time have been told. */
  #tell(event: SessionEvent): void {
    const { desk, office, spec } = this.#parts;
    const agent = spec.id;
    const whole = desk.text.takeWhole(event.type === "done" || event.type === "tool_use");
    if (event.seq <= this.#toldSeq) return;
    this.#toldSeq = event.seq;
    for (const { kind, text } of whole) {
      office.timeline.append({ type: kind, agent, session_seq: event.seq, text });
    }
    const draft = narrate(agent, event);
    if (draft) office.timeline.append(draft);
  }
}

const housekeeping: ReadonlySet<SessionEvent["type"]> = new Set([
  "user_message",
  "message_seen",
  "notice",
  "mcp_status",
  "background_tasks",
  "status",
  "session_changed",
  "closing",
]);

const isHousekeeping = ({ type }: SessionEvent): boolean => housekeeping.has(type);

const stateChanges: ReadonlySet<SessionEvent["type"]> = new Set([
  "user_message",
  "message_dropped",
  "turn_started",
  "done",
  "approval_request",
  "question",
  "plan",
  "approval_resolved",
  "status",
]);

const changesState = ({ type }: SessionEvent): boolean => stateChanges.has(type);
