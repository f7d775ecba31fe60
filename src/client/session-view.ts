import { applyEvent } from "../session-state/apply-event.ts";
import { pendingOf } from "../session-state/pending.ts";
import type { CallWithoutResult, SessionState } from "../session-state/session-state.ts";
import { emptyState } from "../session-state/session-state.ts";
import type { PendingRequest } from "../wire/session/approval-events.ts";
import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
import type { SessionItem } from "./session-item.ts";
import { TurnText } from "./turn-text.ts";

/** Where a view begins: its log, and the last event before those that the view gets. */
export interface ViewStart {
  readonly logId?: string;
  readonly since?: number;
}

/** What a turn was about that has ended. */
export interface EndedTurn {
  /** Its messages. A turn that a crash cut names them, though it ends none of them. */
  readonly messages: readonly string[];
  /** The messages that it ended and that never stood in the conversation. */
  readonly unread: readonly string[];
}

const noTurn: EndedTurn = { messages: [], unread: [] };

/** What a view knows before its first event. */
const nothing = (since: number) => ({
  state: emptyState(),
  text: new TurnText(),
  lastSeq: since,
  endedTurn: noTurn,
  seen: new Set<string>(),
  /** By message: what went wrong in the turn that ended it. */
  ended: new Map<string, string | undefined>(),
  error: undefined as string | undefined,
  /** Of a snapshot only the view that knows nothing needs the content. */
  snapshot: "unread" as "unread" | "reading" | "not needed",
});

/**
 * What a program knows of a session, folded from the session's events: give each item of `SessionClient.events()` to
 * `apply`. The view starts anew when the session does (`reset`). It works in a browser too.
 */
export class SessionView {
  #logId: string;
  #known: ReturnType<typeof nothing>;
  readonly #waiting = new Set<{ readonly callId: string; readonly resolve: () => void }>();

  constructor({ logId = "", since = 0 }: ViewStart = {}) {
    this.#logId = logId;
    this.#known = nothing(since);
  }

  /** The state of the session after the newest event. Only `apply` and `reset` change it. */
  get state(): Readonly<SessionState> {
    return this.#known.state;
  }

  /** The log that the events come from; empty while no reset and no start has named it. */
  get logId(): string {
    return this.#logId;
  }

  /** The number of the newest event. */
  get lastSeq(): number {
    return this.#known.lastSeq;
  }

  /** What the model has said in the running turn, or in the one that ended last. */
  get text(): TurnText {
    return this.#known.text;
  }

  /** The turn that ended last; without messages when none has. */
  get endedTurn(): EndedTurn {
    return this.#known.endedTurn;
  }

  /** The requests that wait for a person, about a call or not. */
  get pending(): PendingRequest[] {
    return pendingOf(this.#known.state);
  }

  /** Calls of the running turn without a result, by their id, and those of the background that wait for a person. */
  get openCalls(): ReadonlyMap<string, CallWithoutResult> {
    return this.#known.state.calls;
  }

  /** The view knew nothing and is reading a snapshot: what it applies now happened earlier. */
  get isReadingSnapshot(): boolean {
    return this.#known.snapshot === "reading";
  }

  /** A turn is running, or a message is about to start one. */
  get isBusy(): boolean {
    const { turn } = this.#known.state;
    return (turn !== undefined && !turn.quiet) || this.#waitingMessages().length > 0;
  }

  /** Nothing is open that would be lost or delayed if the session's process ended. */
  get isIdle(): boolean {
    const { subagents, backgroundTasks, turn } = this.#known.state;
    const beside = this.pending.length + subagents.size + backgroundTasks.length;
    return turn === undefined && this.#waitingMessages().length === 0 && beside === 0;
  }

  /** The messages of the running turn, and those that are about to start one. */
  get openMessages(): string[] {
    const { turn } = this.#known.state;
    return [...new Set([...(turn?.messages ?? []), ...this.#waitingMessages()])];
  }

  /** Whether the message stands in the conversation, or a turn has ended it. */
  hasSeen(messageId: string): boolean {
    return this.#known.seen.has(messageId);
  }

  /** Whether a turn has ended the message. */
  hasEnded(messageId: string): boolean {
    return this.#known.ended.has(messageId);
  }

  /** Why the turn that ended the message did not complete; undefined when it did, or when no turn has ended it. */
  failureOf(messageId: string): string | undefined {
    return this.#known.ended.get(messageId);
  }

  apply(item: SessionItem): void {
    if (item.type === "reset") this.reset(item.logId);
    else this.#apply(item);
  }

  /** Forgets everything: what follows is of another log, or of another place in this one. */
  reset(logId: string, since = 0): void {
    this.#logId = logId;
    this.#known = nothing(since);
  }

  /**
   * Resolves when the call is open: at once, or with the event that tells of it. A call that has a result is not
   * open any more.
   *
   * @throws the signal's reason.
   */
  async untilToolCall(callId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isOpen(callId)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = (): void => reject(signal.reason as Error);
    const waiting = { callId, resolve };
    signal.addEventListener("abort", stop);
    this.#waiting.add(waiting);
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#waiting.delete(waiting);
    }
  }

  #apply(event: SessionEvent): void {
    const known = this.#known;
    known.lastSeq = event.seq;
    const isEdge = event.type === "snapshot_begin" || event.type === "snapshot_end";
    if (isEdge && known.snapshot !== "not needed") {
      known.snapshot = event.type === "snapshot_begin" ? "reading" : "not needed";
      return;
    }
    if (known.snapshot === "unread") known.snapshot = "not needed";
    if (event.type === "done" && !known.state.inSnapshot) this.#noteEnd(event);
    applyEvent(known.state, event);
    if (known.state.inSnapshot) return;
    known.text.add(event);
    this.#noteMessages(event);
    for (const { callId, resolve } of this.#waiting) if (this.#isOpen(callId)) resolve();
  }

  #noteEnd({ messages }: SessionEventOf<"done">): void {
    const { state, seen } = this.#known;
    this.#known.endedTurn = {
      messages: [...(state.turn?.messages ?? []), ...messages],
      unread: messages.filter((id) => !seen.has(id)),
    };
  }

  #noteMessages(event: SessionEvent): void {
    const known = this.#known;
    if (event.type === "message_seen") known.seen.add(event.id);
    if (event.type === "error") known.error = event.message;
    if (event.type === "turn_started") known.error = undefined;
    if (event.type !== "done") return;
    const hasFailed = event.stop_reason !== "completed";
    for (const id of event.messages) {
      known.seen.add(id);
      known.ended.set(id, hasFailed ? (known.error ?? event.stop_reason) : undefined);
    }
  }

  #isOpen(callId: string): boolean {
    const { calls, inSnapshot } = this.#known.state;
    return calls.has(callId) && !inSnapshot;
  }

  #waitingMessages(): string[] {
    const accepted = [...this.#known.state.accepted];
    return accepted.filter(([, { event }]) => event.quiet !== true).map(([id]) => id);
  }
}
