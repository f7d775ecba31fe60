import { applyEvent } from "../session-state/apply-event.ts";
import { pendingOf } from "../session-state/pending-requests.ts";
import type { CallWithoutResult, SessionState } from "../session-state/session-state.ts";
import { emptyState } from "../session-state/session-state.ts";
import type { SessionAnswerOf } from "../wire/session/answers.ts";
import type { PendingRequest } from "../wire/session/approval-events.ts";
import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
import type { Grant } from "../wire/session/shared-schemas.ts";
import type { SessionItem } from "./session-item.ts";
import type { StopReason } from "../wire/session/turn-events.ts";
import { TurnText } from "./turn-text.ts";

/** Where a view begins: its log, and the last event before those that the view gets. */
export interface ViewStart {
  readonly logId?: string;
  readonly since?: number;
  /** The requests that waited for a person then: `pending` of the session's `init`. */
  readonly pending?: readonly PendingRequest[];
  /** The permissions that stood then: `grants` of the session's `init`. */
  readonly grants?: readonly Grant[];
}

/** What holds for a session until an event changes it. */
export type ViewSettings = Partial<
  Pick<
    SessionAnswerOf<"init">,
    "mode" | "model" | "effort" | "context" | "background_tasks" | "continuation"
  >
>;

/** The messages of a turn that has ended. */
export interface EndedTurn {
  /** Its messages. A turn that a crash cut names them, though it ends none of them. */
  readonly messages: readonly string[];
  /** The messages that it ended and that the conversation did not have before. */
  readonly unread: readonly string[];
}

interface TurnEnd {
  readonly stopReason: StopReason;
  /** What went wrong; absent when the turn completed. */
  readonly failure?: string;
}

const noTurn: EndedTurn = { messages: [], unread: [] };

/** What a view knows before its first event. */
const nothing = (since: number) => ({
  state: emptyState(),
  text: new TurnText(),
  lastSeq: since,
  endedTurn: noTurn,
  seen: new Set<string>(),
  /** By message: how the turn ended that ended it. */
  ended: new Map<string, TurnEnd>(),
  /** The message of the running turn's newest error. */
  error: undefined as string | undefined,
  closing: undefined as SessionEventOf<"closing"> | undefined,
  /** Of a snapshot only the view that knows nothing needs the content. */
  snapshot: "unread" as "unread" | "reading" | "not needed",
});

/**
 * What a program knows of a session, folded from the session's events: give each item of `SessionClient.events()` to
 * `apply`. The view starts again when the session does (`reset`). It works in a browser too.
 */
export class SessionView {
  #logId: string;
  #known: ReturnType<typeof nothing>;
  readonly #waiting = new Set<{ readonly callId: string; readonly resolve: () => void }>();

  constructor({ logId = "", since = 0, pending = [], grants = [] }: ViewStart = {}) {
    this.#logId = logId;
    this.#known = nothing(since);
    for (const request of pending) applyEvent(this.#known.state, request);
    for (const grant of grants) this.#known.state.given.set(grant.id, grant);
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

  /** The requests that wait for a person, about a call or not, the oldest first. */
  get pending(): PendingRequest[] {
    return pendingOf(this.#known.state);
  }

  /** What people allowed beyond one call and have not taken back, the oldest first. */
  get grants(): Grant[] {
    return [...this.#known.state.given.values()];
  }

  /** Calls of the running turn without a result, by their id, and those of the background that wait for a person. */
  get openCalls(): ReadonlyMap<string, CallWithoutResult> {
    return this.#known.state.calls;
  }

  /** The view knew nothing and is reading a snapshot: what it applies now happened earlier. */
  get isReadingSnapshot(): boolean {
    return this.#known.snapshot === "reading";
  }

  /** The view knows the log and is passing over a snapshot: what it applies now changes nothing. */
  get isSkippingSnapshot(): boolean {
    return this.#known.state.inSnapshot;
  }

  /** The newest event, if it says that the session's process ends. */
  get closing(): SessionEventOf<"closing"> | undefined {
    return this.#known.closing;
  }

  /** A turn is running, or a message is about to start one. */
  get isBusy(): boolean {
    const { turn } = this.#known.state;
    return (turn !== undefined && !turn.quiet) || this.#waitingMessages().length > 0;
  }

  /** Nothing is open that would be lost or delayed if the session's process ended. */
  get isIdle(): boolean {
    const { subagents, backgroundTasks, turn, continuation } = this.#known.state;
    if (continuation !== undefined) return false;
    const beside = this.pending.length + subagents.size + backgroundTasks.length;
    return turn === undefined && this.#waitingMessages().length === 0 && beside === 0;
  }

  /** The messages of the running turn, and those that are about to start one. */
  get openMessages(): string[] {
    const { turn } = this.#known.state;
    return [...new Set([...(turn?.messages ?? []), ...this.#waitingMessages()])];
  }

  /** The accepted messages that are in no turn and that Claude Code has not read yet. */
  get queuedMessages(): string[] {
    const { accepted, turn } = this.#known.state;
    const queued = [...accepted].filter(([id, { seen }]) => !seen && !turn?.messages.includes(id));
    return queued.map(([id]) => id);
  }

  /** Whether the conversation has the message, or a turn has ended it. */
  hasSeen(messageId: string): boolean {
    return this.#known.seen.has(messageId);
  }

  /** Whether a turn has ended the message. */
  hasEnded(messageId: string): boolean {
    return this.#known.ended.has(messageId);
  }

  /**
   * What became of the message: the `stop_reason` of the turn that ended it, or `dropped` when it never gets to the
   * model; undefined while neither is known.
   */
  outcomeOf(messageId: string): StopReason | "dropped" | undefined {
    const { ended, state } = this.#known;
    return state.dropped.has(messageId) ? "dropped" : ended.get(messageId)?.stopReason;
  }

  /** Why the turn that ended the message did not complete; undefined when it did, or when no turn has ended it. */
  failureOf(messageId: string): string | undefined {
    return this.#known.ended.get(messageId)?.failure;
  }

  apply(item: SessionItem): void {
    if (item.type === "reset") this.reset(item.logId);
    else this.#apply(item);
  }

  /**
   * Forgets everything: what follows is from another log, or does not continue what the view knows of this one.
   *
   * @param settings of the session's `init`: events before those that follow may have set them.
   */
  reset(logId: string, since = 0, settings: ViewSettings = {}): void {
    this.#logId = logId;
    this.#known = nothing(since);
    const { mode, model, effort, context, background_tasks = [], continuation } = settings;
    Object.assign(this.#known.state, { mode, model, effort, context });
    this.#known.state.backgroundTasks = background_tasks;
    if (continuation) {
      const { id } = continuation;
      const told = { seq: since, at: continuation.due, turn_id: id };
      const planned = { type: "continuation_planned" as const, ...told, ...continuation };
      this.#known.state.continuation = { planned, sent: false };
    }
  }

  /**
   * Resolves when the call is open: at once, or with the event that reports it. A call that has a result is no longer
   * open.
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
    known.closing = event.type === "closing" ? event : undefined;
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
    const { stop_reason: stopReason } = event;
    const isWell = stopReason === "completed";
    const end = { stopReason, ...(!isWell && { failure: known.error ?? stopReason }) };
    for (const id of event.messages) {
      known.seen.add(id);
      known.ended.set(id, end);
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
