import type { Bus } from "../../bus/bus.ts";
import type { SessionClient, SessionItem, SessionView } from "../../client/index.ts";
import type { SessionEvent, SessionEventOf } from "../../wire/session/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { AgentInbox } from "../delivery/inbox.ts";
import type { Outbox } from "../delivery/outbox.ts";
import { remindOfTasks } from "../delivery/remind.ts";
import type { Replies } from "../delivery/replies.ts";
import { recordSpoken } from "../delivery/spoken.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { AgentRecord } from "./agent-record.ts";
import type { Approver } from "./approver.ts";
import type { Action } from "./reactor.ts";
import { react } from "./reactor.ts";
import type { TurnSettler } from "./settle-turn.ts";
import { messageIn } from "./turn-context.ts";

export interface SessionReaderOptions {
  readonly agent: AgentId;
  readonly session: SessionClient;
  readonly view: SessionView;
  readonly bus: Bus;
  readonly tasks: TaskBook;
  readonly timeline: Timeline;
  readonly inbox: AgentInbox;
  readonly outbox: Outbox;
  readonly replies: Replies;
  readonly approver: Approver;
  readonly record: AgentRecord;
  readonly settler: TurnSettler;
  /** The last event before those that the session sends. */
  readonly since: number;
  /** The newest event of the session that the timeline has already. */
  readonly publishedSeq: number;
  /** Called after each event, and when the reader has caught up. */
  readonly onEvent: () => void;
  /** Called when the agent may work, wait or rest now. */
  readonly onState: () => void;
  readonly onDelta: (event: SessionEventOf<"text_delta">) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Reads the events of an agent's session and carries out what follows from each. All of it can be repeated: after a
 * crash of this process the events since the last settled turn are read again.
 */
export class SessionReader {
  readonly #options: SessionReaderOptions;
  readonly #caughtUp = Promise.withResolvers<void>();
  #isCaughtUp = false;
  #lastError: string | undefined;
  #publishedSeq: number;

  constructor(options: SessionReaderOptions) {
    this.#options = options;
    this.#publishedSeq = options.publishedSeq;
    // A caller need not wait for it.
    this.#caughtUp.promise.catch(() => {});
  }

  /** Resolves when the events before this connection have been read. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise;
  }

  get publishedSeq(): number {
    return this.#publishedSeq;
  }

  /** Resolves when the session has no more events. */
  async read(): Promise<void> {
    const { session, since } = this.#options;
    const upto = session.init.last_seq;
    if (since >= upto) this.#arrive();
    try {
      for await (const item of session.events()) {
        await this.#take(item);
        if (!this.#isCaughtUp && item.type !== "reset" && item.seq >= upto) this.#arrive();
      }
    } catch {
      // The session was lost: its life says so.
    } finally {
      this.#caughtUp.reject(new Error("The session ended."));
    }
  }

  #arrive(): void {
    const { approver, onEvent, onState, settler } = this.#options;
    this.#isCaughtUp = true;
    this.#caughtUp.resolve();
    approver.look();
    onEvent();
    onState();
    void settler.giveUpPoison();
  }

  async #take(item: SessionItem): Promise<void> {
    const { agent, view, inbox, onEvent, onTrouble } = this.#options;
    const carried = item.type === "tool_result" ? messageIn(view, item) : undefined;
    view.apply(item);
    if (item.type === "reset") return inbox.sessionReset();
    const actions = react(item, { agent, view, carried, ...this.#news(item) });
    onEvent();
    try {
      for (const action of actions) await this.#carryOut(action);
    } catch (error) {
      onTrouble(`An event of ${agent} could not be dealt with`, error);
    }
  }

  /** What of the event is new to people. */
  #news(event: SessionEvent) {
    const { view } = this.#options;
    if (event.type === "error") this.#lastError = event.message;
    if (event.type === "turn_started") this.#lastError = undefined;
    const isCaughtUp = this.#isCaughtUp;
    if (view.state.inSnapshot || event.type.startsWith("snapshot_") || isDelta(event)) {
      return { whole: [], isNews: false, isCaughtUp };
    }
    // A snapshot repeats what was published before, though not all of it may have been settled.
    if (view.isReadingSnapshot) this.#publishedSeq = event.seq;
    const whole = view.text.takeWhole(event.type === "done" || event.type === "tool_use");
    const isNews = event.seq > this.#publishedSeq;
    if (isNews) this.#publishedSeq = event.seq;
    return { whole, isNews, isCaughtUp };
  }

  async #carryOut(action: Action): Promise<void> {
    const { agent, session, bus, tasks, timeline, inbox, outbox } = this.#options;
    const { approver, record, settler, onDelta, onState } = this.#options;
    switch (action.do) {
      case "publish":
        for (const draft of action.drafts) timeline.append(draft);
        return;
      case "show_delta":
        return onDelta(action.event);
      case "record_message":
        return recordSpoken({ bus, tasks, outbox }, agent, action.event);
      case "message_seen":
        return inbox.seen(action.id);
      case "message_dropped":
        await inbox.dropped(action.event.id, action.event.reason);
        return this.#giveUpSpoken(action.event);
      case "call_ended":
        return inbox.callEnded(action.call, action.carried);
      case "keep_session":
        return record.save({ session_id: action.sessionId });
      case "decision_made":
        return approver.resolved(action.event, action.isNews);
      case "remind_of_tasks":
        return remindOfTasks(session, tasks, agent);
      case "settle_turn":
        await settler.settle(action.turn, this.#lastError);
        return this.#isCaughtUp ? settler.giveUpPoison() : undefined;
      case "count_as_work":
        return tasks.touch(agent);
      case "look_at_requests":
        return approver.look();
      case "show_state":
        return onState();
    }
  }

  /** A message that a person gave to the session itself and took back: only this ends its task. */
  async #giveUpSpoken({ id, reason }: SessionEventOf<"message_dropped">): Promise<void> {
    const { bus, tasks, replies } = this.#options;
    const task = tasks.get(id);
    const isSettled = task && (await bus.get(id))?.state === "done";
    if (isSettled) await replies.giveUp(task, `The session dropped it (${reason}).`);
  }
}

const isDelta = ({ type }: SessionEvent): boolean => type.endsWith("_delta");
