import type { Bus } from "../../bus/bus.ts";
import type { SessionClient } from "../../client/index.ts";
import { pause } from "../../time/abortable-waits.ts";
import { backgroundClock } from "../../time/clock.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { AgentInbox } from "../delivery/inbox.ts";
import type { AutomaticAnswers } from "../delivery/automatic-answers.ts";
import { writesOfTurn } from "../record/turn-of-message.ts";
import type { Spending } from "../record/spending.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { OnTrouble } from "../timeline/report-failure.ts";
import type { AgentRecord } from "./stored-agent-record.ts";
import { SessionLossCounts } from "./count-losses-per-message.ts";
import { giveUpMessages } from "./give-up-message.ts";
import { payForTurn } from "./pay-for-turn.ts";
import type { TurnToSettle } from "./react-to-session-event.ts";
import type { NewestTurnStarts } from "./newest-turn-start.ts";

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
  readonly replies: Pick<AutomaticAnswers, "turnEnded" | "giveUp">;
  readonly record: Pick<AgentRecord, "change">;
  readonly turns: Pick<NewestTurnStarts, "of">;
  /** A message that the session did not survive this many times is given up. */
  readonly maxLost: number;
  readonly onTrouble: OnTrouble;
}

/** Does what is due at the end of a turn: pays for it, settles its messages, answers its request. */
export class TurnSettler {
  readonly #options: TurnSettlerOptions;
  readonly #losses = new SessionLossCounts();
  #isOver = false;

  constructor(options: TurnSettlerOptions) {
    this.#options = options;
    void options.session.closed.then(() => (this.#isOver = true));
  }

  /** A failure that may pass, such as a full disk, only delays this, because an answer depends on it. */
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

  /** Gives up messages that have ended the session too often, and tells the agents that sent them. */
  giveUpPoison(): Promise<void> {
    return giveUpMessages(this.#losses.over(this.#options.maxLost), this.#options);
  }

  /** Can be repeated if it fails half-way. */
  async #settleOnce(turn: TurnToSettle): Promise<void> {
    const { agent, inbox, replies } = this.#options;
    const { done, about, unread, text, error } = turn;
    await payForTurn(turn, this.#options);
    // The conversation does not have them, but no further event will name them.
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

  async #publishEnd({ done, isLast }: TurnToSettle): Promise<void> {
    const { session, bus, timeline, record, turns } = this.#options;
    const turn = turns.of(done.turn_id);
    const stored = await Promise.all(done.messages.map((id) => bus.get(id)));
    for (const one of stored) {
      if (!one) continue;
      const { id, from_agent, to_agent } = one.message;
      const moved = { id, from_agent, to_agent, step: "done", ...(turn && { turn }) } as const;
      timeline.append({ type: "message_moved", ...moved }, writesOfTurn(id, turn));
    }
    // Everything up to here is settled; after a crash only later events are read again. So this waits for the steps above.
    if (!isLast) return;
    const { logId: log_id, epoch } = session.place;
    timeline.thenWrite([record.change({ since: done.seq, log_id, epoch })]);
  }
}
