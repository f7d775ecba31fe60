import type { Bus } from "../../bus/bus.ts";
import type { SessionClient } from "../../client/index.ts";
import { pause } from "../../time/abort.ts";
import { backgroundClock } from "../../time/clock.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { AgentInbox } from "../delivery/inbox.ts";
import type { Replies } from "../delivery/replies.ts";
import type { Spending } from "../record/spending.ts";
import { purses } from "../record/spending.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { OnTrouble } from "../timeline/report-failure.ts";
import type { AgentRecord } from "./agent-record.ts";
import { LossCounts } from "./count-losses.ts";
import { giveUpMessages } from "./give-up-message.ts";
import { tokensOf } from "./narrate.ts";
import type { TurnToSettle } from "./reactor.ts";
import { contextOf } from "./turn-context.ts";

const AGAIN_MS = 1000;

export interface TurnSettlerOptions {
  readonly agent: AgentId;
  readonly session: Pick<SessionClient, "abort" | "closed" | "place">;
  readonly bus: Pick<Bus, "get">;
  readonly tasks: TaskBook;
  readonly timeline: Pick<Timeline, "append" | "thenWrite">;
  readonly spending: Pick<Spending, "add">;
  readonly inbox: Pick<
    AgentInbox,
    "seen" | "questions" | "isMoreComing" | "settleArrived" | "turnEnded"
  >;
  readonly replies: Pick<Replies, "turnEnded" | "giveUp">;
  readonly record: Pick<AgentRecord, "change">;
  /** A message that the session did not survive this many times is given up. */
  readonly maxLost: number;
  readonly onTrouble: OnTrouble;
}

/** Does what the end of a turn asks for: it is paid, its messages are settled, its request is answered. */
export class TurnSettler {
  readonly #options: TurnSettlerOptions;
  readonly #losses = new LossCounts();
  #isOver = false;

  constructor(options: TurnSettlerOptions) {
    this.#options = options;
    void options.session.closed.then(() => (this.#isOver = true));
  }

  /** An answer depends on it, so a failure that may pass, such as a full disk, only delays it. */
  async settle(turn: TurnToSettle): Promise<void> {
    const { agent, onTrouble } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#settleOnce(turn);
      } catch (failure) {
        const mayPass = failure instanceof ClaudeCodeError && failure.retryable;
        // The next connection to the session reads the event again.
        if (!mayPass || this.#isOver) throw failure;
        if (attempt === 1) onTrouble(`The end of ${agent}'s turn has to wait`, failure);
        await pause(AGAIN_MS, undefined, backgroundClock);
      }
    }
  }

  /** Gives up messages that the session did not survive again and again, and tells the agent that asked. */
  giveUpPoison(): Promise<void> {
    return giveUpMessages(this.#losses.over(this.#options.maxLost), this.#options);
  }

  /** Can be repeated, if it fails on the way. */
  async #settleOnce(turn: TurnToSettle): Promise<void> {
    const { agent, inbox, replies } = this.#options;
    const { done, about, unread, text, error } = turn;
    await this.#pay(turn);
    // The conversation does not have them, but nothing more will be told of them.
    for (const id of unread) await inbox.seen(id);
    await replies.turnEnded(agent, {
      messages: [...done.messages, ...inbox.questions],
      named: done.messages,
      stopReason: done.stop_reason,
      text,
      unread,
      error,
      isMoreComing: (task) => inbox.isMoreComing(task, done.messages),
    });
    await inbox.settleArrived();
    await this.#publishEnd(turn);
    await inbox.turnEnded();
    this.#losses.ended(about, done);
  }

  async #pay({ done, logId, about }: TurnToSettle): Promise<void> {
    const { agent, bus, tasks, spending } = this.#options;
    const context = await contextOf(agent, about, bus, tasks);
    const lineage = await tasks.lineage(context?.taskId ?? null);
    const payers = [purses.team, purses.agent(agent), ...lineage.map(({ id }) => purses.task(id))];
    await spending.add(`${logId}/${done.turn_id}`, payers, {
      usd: done.cost_usd,
      tokens: tokensOf(done),
      turns: 1,
    });
  }

  async #publishEnd({ done, isLast }: TurnToSettle): Promise<void> {
    const { session, bus, timeline, record } = this.#options;
    const stored = await Promise.all(done.messages.map((id) => bus.get(id)));
    for (const one of stored) {
      if (!one) continue;
      const { id, from_agent, to_agent } = one.message;
      timeline.append({ type: "message_moved", id, from_agent, to_agent, step: "done" });
    }
    // All up to here is settled; later events are read again after a crash. Not before the steps are published.
    if (!isLast) return;
    const { logId: log_id, epoch } = session.place;
    timeline.thenWrite([record.change({ since: done.seq, log_id, epoch })]);
  }
}
