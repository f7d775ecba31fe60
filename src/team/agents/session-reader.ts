import type { SessionClient, SessionItem, SessionView } from "../../client/index.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { OnTrouble } from "../timeline/report-failure.ts";
import type { Action } from "./react-to-session-event.ts";
import { onCaughtUp, react } from "./react-to-session-event.ts";
import { messageIn } from "./open-call-of-message.ts";

export interface SessionReaderOptions {
  readonly agent: AgentId;
  readonly session: Pick<SessionClient, "init" | "events">;
  readonly view: SessionView;
  /** The last event before those that the session sends. */
  readonly since: number;
  /** The newest event of the session that the timeline has already. */
  readonly publishedSeq: number;
  readonly carryOut: (action: Action) => Promise<void>;
  /** Called after each event, and when the reader has caught up. */
  readonly onEvent: () => void;
  readonly onTrouble: OnTrouble;
}

/**
 * Reads the events of an agent's session and carries out what follows from each one. All of it can be repeated: after a
 * crash of this process, the next one reads the events since the last settled turn again.
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
    if (since >= upto) await this.#arrive();
    try {
      for await (const item of session.events()) {
        await this.#take(item);
        if (!this.#isCaughtUp && item.type !== "reset" && item.seq >= upto) await this.#arrive();
      }
    } catch {
      // The session was lost: its life says so.
    } finally {
      this.#caughtUp.reject(new Error("The session ended."));
    }
  }

  async #arrive(): Promise<void> {
    this.#isCaughtUp = true;
    this.#caughtUp.resolve();
    this.#options.onEvent();
    await this.#carryOut(onCaughtUp);
  }

  async #take(item: SessionItem): Promise<void> {
    const { agent, view, onEvent } = this.#options;
    const carried = item.type === "tool_result" ? messageIn(view, item) : undefined;
    view.apply(item);
    if (item.type === "reset") return this.#carryOut([{ do: "start_over" }]);
    const news = this.#news(item);
    const actions = react(item, { agent, view, carried, lastError: this.#lastError, ...news });
    onEvent();
    await this.#carryOut(actions);
  }

  async #carryOut(actions: readonly Action[]): Promise<void> {
    const { agent, carryOut, onTrouble } = this.#options;
    try {
      for (const action of actions) await carryOut(action);
    } catch (error) {
      onTrouble(`An event of ${agent} could not be dealt with`, error);
    }
  }

  /** The part of the event that is new to people. */
  #news(event: SessionEvent) {
    const { view } = this.#options;
    if (event.type === "error") this.#lastError = event.message;
    if (event.type === "turn_started") this.#lastError = undefined;
    const isCaughtUp = this.#isCaughtUp;
    if (view.state.inSnapshot || event.type.startsWith("snapshot_") || isDelta(event)) {
      return { whole: [], isUnpublished: false, isCaughtUp };
    }
    // A snapshot repeats what was published before, though not all of it may have been settled.
    if (view.isReadingSnapshot) this.#publishedSeq = event.seq;
    const whole = view.text.takeWhole(event.type === "done" || event.type === "tool_use");
    const isUnpublished = event.seq > this.#publishedSeq;
    if (isUnpublished) this.#publishedSeq = event.seq;
    return { whole, isUnpublished, isCaughtUp };
  }
}

const isDelta = ({ type }: SessionEvent): boolean => type.endsWith("_delta");
