import { randomUUID } from "node:crypto";
import type { EngineMessage } from "../../engine/index.ts";
import type { Row } from "../../engine/recovery/index.ts";
import { messagesOf } from "../../engine/recovery/index.ts";
import type { SessionCommandOf } from "../../wire/session/commands.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { StoredText } from "../../wire/blob.ts";
import { loadMessage, toEngineMessage } from "./engine-message.ts";
import { cliUuidOf } from "./cli-message-uuid.ts";
import type { Recorder } from "./event-recorder.ts";
import type { Timers } from "../../time/clock.ts";
import { whenDurable } from "./when-durable.ts";

/** A message that was accepted and has not ended. */
interface OpenMessage {
  readonly message: EngineMessage;
  /** Durable in our log: only then may it go to the CLI. */
  safe: boolean;
  /** Handed to the current CLI. */
  pushed: boolean;
  /** A client wants it dropped; only the CLI that was given it knows whether it still can be. */
  unwanted?: Drop;
}

/** Why a message is dropped, and by which client. */
interface Drop {
  readonly reason: SessionEventOf<"message_dropped">["reason"];
  readonly by?: string;
}

const byAbort: Drop = { reason: "aborted" };

/** A person has to decide first: about foreign messages, or about a lost conversation. */
type HoldReason = "foreign_writer" | "conversation_lost";

type Push = (message: EngineMessage) => void;

/**
 * The accepted messages, from the moment they are in our log until a turn ends them. A quiet message starts no turn;
 * it ends when it is in the CLI's transcript.
 */
export class Inbox {
  readonly #recorder: Recorder;
  readonly #timers: Timers;
  /** In the order of acceptance. */
  readonly #open = new Map<string, OpenMessage>();
  /** The CLI's id of a message → the client's id, until the transcript shows the message. */
  readonly #unseen = new Map<string, string>();
  readonly #idOf = new Map<string, string>();
  /** The CLI's ids of quiet messages: the CLI still works on one after it has ended for us. */
  readonly #quiet = new Set<string>();
  /** Ids of messages that, by the transcript, joined a running turn. */
  readonly #joined = new Set<string>();
  /** The CLI's ids of all messages that were ever accepted. */
  readonly #ours = new Set<string>();
  #push: Push | undefined;
  /** The reasons for which messages wait, whatever CLI runs. */
  readonly #holds = new Set<HoldReason>();

  constructor(recorder: Recorder, timers: Timers) {
    this.#recorder = recorder;
    this.#timers = timers;
  }

  /** Loads what an earlier host accepted; all of it is on disk. */
  async restore(load: (text: StoredText) => Promise<string>): Promise<void> {
    for (const id of this.#recorder.state.acceptedIds) this.#ours.add(cliUuidOf(id));
    for (const { event, seen } of this.#recorder.state.accepted.values()) {
      const message = await loadMessage(event, load);
      this.#add(event.id, { message, safe: true, pushed: false }, seen);
    }
  }

  /**
   * Accepts a message; a repeated id is accepted once. Rejects with `log_write_failed`; the message then waits for
   * the disk.
   */
  async accept(command: SessionCommandOf<"message">, by: string | undefined): Promise<void> {
    const { id = randomUUID(), text, content, from, priority, quiet } = command;
    if (!this.#recorder.state.acceptedIds.has(id)) {
      this.#recorder.record({
        type: "user_message",
        id,
        ...(text === undefined ? { content } : { text }),
        ...(from !== undefined && { from }),
        ...(by !== undefined && { by }),
        priority,
        ...(quiet && { quiet }),
      });
      const message = toEngineMessage({ id, text, content, from, priority, quiet });
      this.#add(id, { message, safe: false, pushed: false });
    }
    await whenDurable(this.#recorder, this.#timers, () => this.#release(id));
  }

  /** From now on messages go to this CLI. */
  open(push: Push): void {
    this.#push = push;
    this.#pump();
  }

  shut(): void {
    this.#push = undefined;
  }

  /** Messages are accepted but wait, whatever CLI runs. */
  hold(reason: HoldReason): void {
    this.#holds.add(reason);
  }

  /** Messages continue when no other reason holds them. */
  release(reason: HoldReason): void {
    this.#holds.delete(reason);
    this.#pump();
  }

  /** Was this message ever accepted here? */
  isOurs(uuid: string): boolean {
    return this.#ours.has(uuid);
  }

  /** Returns all open messages to recovery, which sees that each reaches the next CLI exactly once. */
  handOver(): EngineMessage[] {
    const isDue = ({ safe, pushed }: OpenMessage) => safe && (pushed || this.#holds.size === 0);
    const safe = [...this.#open.values()].filter(isDue);
    for (const message of safe) message.pushed = true;
    return safe.map(({ message }) => message);
  }

  /** The client's ids; ids that the CLI chose itself are left out. */
  idsOf(uuids: readonly string[]): string[] {
    return uuids.flatMap((uuid) => this.#idOf.get(uuid) ?? []);
  }

  /** Whether all of these are quiet: the CLI then makes a turn in which it does not call the model. */
  areQuiet(uuids: readonly string[]): boolean {
    return uuids.length > 0 && uuids.every((uuid) => this.#quiet.has(uuid));
  }

  /** A message was handed to the CLI and is not in the transcript yet. */
  get awaitsSight(): boolean {
    return this.#unseen.size > 0;
  }

  /** The transcript has a message with this id, which may be one of ours. */
  markSeen(uuid: string): void {
    const id = this.#unseen.get(uuid);
    if (id === undefined) return;
    this.#unseen.delete(uuid);
    this.#recorder.record({ type: "message_seen", id });
    if (this.#quiet.has(uuid)) this.end([id]);
    else if (!this.#open.has(id)) this.#idOf.delete(uuid);
  }

  /** Like `markSeen`, from the transcript's row. A message without a row of its own joined the running turn. */
  markRow(row: Row): void {
    for (const uuid of messagesOf(row)) {
      const id = this.#unseen.get(uuid);
      if (id !== undefined && row.type !== "user" && this.#open.has(id)) this.#joined.add(id);
      this.markSeen(uuid);
    }
  }

  /** Messages that are in the transcript and that no turn has ended yet. */
  inTranscript(): string[] {
    return [...this.#open].flatMap(([id, { message }]) =>
      this.#unseen.has(message.id) || message.quiet === true ? [] : [id],
    );
  }

  /** Messages that joined the running turn, by the transcript. */
  joined(): string[] {
    return [...this.#joined];
  }

  end(ids: readonly string[]): void {
    for (const id of ids) {
      const message = this.#open.get(id);
      this.#open.delete(id);
      this.#joined.delete(id);
      if (message && !this.#unseen.has(message.message.id)) this.#idOf.delete(message.message.id);
    }
  }

  /** Where a message is that was accepted and has not ended. Undefined for all others. */
  whereIs(id: string): "waiting" | "given_to_cli" | "taken" | undefined {
    const message = this.#open.get(id);
    if (!message) return undefined;
    const inTurn = this.#recorder.state.turn?.messages.includes(id) === true;
    if (inTurn || !this.#unseen.has(message.message.id)) return "taken";
    return message.pushed ? "given_to_cli" : "waiting";
  }

  drop(id: string, drop: Drop): void {
    const message = this.#open.get(id);
    if (!message) return;
    this.#open.delete(id);
    this.#joined.delete(id);
    this.#unseen.delete(message.message.id);
    this.#idOf.delete(message.message.id);
    this.#recorder.record({ type: "message_dropped", id, ...drop });
  }

  /** Drops the messages that no CLI was given. */
  dropWaiting(): void {
    for (const [id, { message, pushed }] of this.#open) {
      if (this.#unseen.has(message.id) && !pushed) this.drop(id, byAbort);
    }
  }

  /** Drops the messages that no CLI was given, and marks as unwanted those that the CLI has not written down. */
  renounce(): void {
    this.dropWaiting();
    for (const message of this.#open.values()) {
      if (this.#unseen.has(message.message.id)) message.unwanted ??= byAbort;
    }
  }

  /** Marks a message that a client wants dropped. Returns a function that takes the mark away. */
  markUnwanted(id: string, drop: Drop): () => void {
    const message = this.#open.get(id);
    if (message) message.unwanted ??= drop;
    return () => {
      if (message?.unwanted === drop) delete message.unwanted;
    };
  }

  /** The CLI has given the message back: drops it if a client wants that. */
  takeBack(id: string): void {
    const unwanted = this.#open.get(id)?.unwanted;
    if (unwanted) this.drop(id, unwanted);
  }

  get hasUnwanted(): boolean {
    return [...this.#open.values()].some(({ unwanted }) => unwanted !== undefined);
  }

  /** The CLI that had them is gone: drops what it has not written down. */
  dropUnwanted(): void {
    for (const [id, { message, unwanted }] of this.#open) {
      if (unwanted && this.#unseen.has(message.id)) this.drop(id, unwanted);
    }
  }

  /** Ids of messages that no turn has taken. */
  waiting(): string[] {
    const inTurn = new Set(this.#recorder.state.turn?.messages);
    return [...this.#open].flatMap(([id, { message }]) =>
      this.#unseen.has(message.id) && !inTurn.has(id) ? [id] : [],
    );
  }

  #add(id: string, message: OpenMessage, seen = false): void {
    this.#open.set(id, message);
    this.#ours.add(message.message.id);
    this.#idOf.set(message.message.id, id);
    if (!seen) this.#unseen.set(message.message.id, id);
    if (message.message.quiet === true) this.#quiet.add(message.message.id);
  }

  #release(id: string): void {
    const message = this.#open.get(id);
    if (message) message.safe = true;
    this.#pump();
  }

  /** Pushes messages in order: one that is not durable yet briefly delays those behind it. */
  #pump(): void {
    for (const message of this.#open.values()) {
      if (!this.#push || this.#holds.size > 0 || !message.safe) return;
      if (message.pushed) continue;
      message.pushed = true;
      this.#push(message.message);
    }
  }
}
