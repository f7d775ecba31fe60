import type { Bus } from "../../bus/bus.ts";
import { applyEvent } from "../../session/state/apply-event.ts";
import { pendingOf } from "../../session/state/pending.ts";
import type { SessionState } from "../../session/state/session-state.ts";
import { emptyState } from "../../session/state/session-state.ts";
import type { SessionEvent, SessionEventOf } from "../../wire/session-events.ts";
import type { AgentId, CCMessage } from "../../wire/team.ts";
import { wantsAnswer } from "../messages/kind.ts";
import { idOfCall } from "../messages/message-id.ts";
import { messageCarriedBy } from "../messages/result-words.ts";
import type { Thread } from "../messages/thread.ts";
import { threadInTurn } from "../messages/thread.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { textOf } from "./narrate.ts";
import { TurnText } from "./turn-text.ts";

const SEND_MESSAGE = "mcp__team__send_message";

/** What an agent's turn is about. */
export interface Matter {
  readonly thread: Thread;
  readonly taskId: string | undefined;
}

/** What is known of an agent's session, from its own events. */
export class Desk {
  readonly #agent: AgentId;
  state: SessionState = emptyState();
  text = new TurnText();
  logId = "";
  /** Questions that came in the result of a call of the running turn. */
  readonly questions = new Set<string>();
  /** What the turn that ended last was about; one that was cut short ends none of its messages itself. */
  endedTurn: readonly string[] = [];
  /** Of the messages that its end has named, those that never stood in the conversation. */
  unreadInTurn: readonly string[] = [];
  readonly #seen = new Set<string>();
  /** By call: the message that its result has brought into the conversation. */
  readonly #carried = new Map<string, string>();
  /** Messages that a turn has dealt with, and what went wrong in it. */
  readonly #ended = new Map<string, string | undefined>();
  #error: string | undefined;
  /** Nothing is known of this log: a snapshot that comes now is news. */
  #isBlank = true;
  /** A snapshot is being read, because nothing else is known. */
  isReadingSnapshot = false;
  /** The newest event that was heard. */
  lastSeq = 0;
  /** Calls that have come before the session told of them; one may have come twice. */
  readonly #awaited = new Set<{ readonly id: string; readonly heard: () => void }>();

  constructor(agent: AgentId) {
    this.#agent = agent;
  }

  apply(event: SessionEvent): void {
    this.lastSeq = event.seq;
    const isEdge = event.type === "snapshot_begin" || event.type === "snapshot_end";
    if (isEdge && this.#isBlank) {
      this.isReadingSnapshot = event.type === "snapshot_begin";
      this.#isBlank = this.isReadingSnapshot;
      return;
    }
    if (!this.isReadingSnapshot) this.#isBlank = false;
    if (event.type === "done") {
      this.endedTurn = [...(this.state.turn?.messages ?? []), ...event.messages];
      this.unreadInTurn = event.messages.filter((id) => !this.#seen.has(id));
    }
    if (event.type === "tool_result") this.#noteCarried(event);
    applyEvent(this.state, event);
    if (this.state.inSnapshot) return;
    this.text.add(event);
    for (const { id, heard } of this.#awaited) if (this.state.calls.has(id)) heard();
    if (event.type === "message_seen") this.#seen.add(event.id);
    if (event.type === "error") this.#error = event.message;
    if (event.type === "turn_started") this.#error = undefined;
    if (event.type !== "done") return;
    for (const id of event.messages) {
      this.#seen.add(id);
      const failed = event.stop_reason !== "completed";
      this.#ended.set(id, failed ? (this.#error ?? event.stop_reason) : undefined);
    }
  }

  /** Resolves when the session has told of this call, or with false after so long. */
  async heardOfCall(id: string, withinMs: number): Promise<boolean> {
    if (this.state.calls.has(id) && !this.state.inSnapshot) return true;
    const told = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => told.resolve(false), withinMs);
    const awaited = { id, heard: () => told.resolve(true) };
    this.#awaited.add(awaited);
    try {
      return await told.promise;
    } finally {
      clearTimeout(timer);
      this.#awaited.delete(awaited);
    }
  }

  /**
   * Another log, or another place in it: what was known does not count any more.
   *
   * @param since the event after which it is heard.
   */
  reset(logId: string, since = 0): void {
    this.lastSeq = since;
    this.state = emptyState();
    this.text = new TurnText();
    this.logId = logId;
    this.#isBlank = true;
    this.isReadingSnapshot = false;
    this.questions.clear();
    this.#seen.clear();
    this.#carried.clear();
    this.#ended.clear();
  }

  hasEnded(id: string): boolean {
    return this.#ended.has(id);
  }

  failureOf(id: string): string | undefined {
    return this.#ended.get(id);
  }

  hasSeen(id: string): boolean {
    return this.#seen.has(id);
  }

  /** The message that the result of this call has brought. */
  carriedBy(callId: string): string | undefined {
    return this.#carried.get(callId);
  }

  hasCarried(id: string): boolean {
    return [...this.#carried.values()].includes(id);
  }

  /** A turn is running, or a message is about to start one. */
  get isBusy(): boolean {
    const { turn } = this.state;
    return (turn !== undefined && !turn.quiet) || this.#hasWork();
  }

  /** Nothing is open that would be lost or delayed if the process were ended. */
  get isIdle(): boolean {
    const { subagents, backgroundTasks, turn } = this.state;
    const beside = pendingOf(this.state).length + subagents.size + backgroundTasks.length;
    return turn === undefined && !this.#hasWork() && beside === 0;
  }

  /** The open call that waits for the answer to this message. */
  openCallFor(messageId: string): string | undefined {
    for (const [id, { tool, input }] of this.state.calls) {
      const waits = tool === SEND_MESSAGE && input["wait"] === true;
      if (waits && idOfCall(this.logId, id) === messageId) return id;
    }
    return undefined;
  }

  /** What the running turn is about. */
  matter(bus: Bus, tasks: TaskBook): Promise<Matter | undefined> {
    return this.matterOf(this.state.turn?.messages ?? [], bus, tasks);
  }

  /** What a turn with these messages is about. A request counts before all else. */
  async matterOf(ids: readonly string[], bus: Bus, tasks: TaskBook): Promise<Matter | undefined> {
    const messages: CCMessage[] = [];
    for (const id of ids) {
      const stored = await bus.get(id);
      if (stored) messages.push(stored.message);
    }
    const message = messages.findLast(wantsAnswer) ?? messages.at(-1);
    if (!message) return undefined;
    const { reply_to } = message;
    const answered = reply_to === null ? undefined : (await bus.get(reply_to))?.message;
    const thread = threadInTurn(message, answered, this.#agent);
    if (wantsAnswer(message)) return { thread, taskId: message.id };
    const part = reply_to === null ? undefined : await tasks.find(reply_to);
    return { thread, taskId: part?.parent ?? undefined };
  }

  #noteCarried({ request_id, output }: SessionEventOf<"tool_result">): void {
    if (this.state.calls.get(request_id)?.tool !== SEND_MESSAGE) return;
    const id = messageCarriedBy(textOf(output));
    if (id !== undefined) this.#carried.set(request_id, id);
  }

  #hasWork(): boolean {
    return [...this.state.accepted.values()].some(({ event }) => event.quiet !== true);
  }
}
