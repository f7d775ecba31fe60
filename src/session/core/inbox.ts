import { randomUUID } from "node:crypto";
import type { EngineMessage } from "../../engine/message.ts";
import type { Row } from "../../engine/recovery/transcript.ts";
import { messagesOf } from "../../engine/recovery/transcript.ts";
import type { SessionCommandOf } from "../../wire/session-commands.ts";
import type { SessionEventOf } from "../../wire/session-events.ts";
import type { StoredText } from "../../wire/blob.ts";
import { loadBlocks, toEngineMessage } from "./engine-message.ts";
import { uuidOf } from "./message-id.ts";
import type { Recorder } from "./recorder.ts";
import type { Timers } from "./timers.ts";
import { untilDurable } from "./until-durable.ts";

/** A message that was accepted and that nothing has ended. */
interface OpenMessage {
  readonly message: EngineMessage;
  /** On disk in our log: before that it may not reach the CLI. */
  safe: boolean;
  /** Handed to the CLI that runs now. */
  pushed: boolean;
  /** Somebody wants it dropped, and only the CLI that was given it knows whether it still can be. */
  unwanted?: true;
}

type Push = (message: EngineMessage) => void;

/**
 * The accepted messages, from the moment they are in our log until a turn has ended them. A quiet one
 * starts no turn; it is at its end when it stands in the CLI's transcript.
 */
export class Inbox {
  readonly #recorder: Recorder;
  readonly #timers: Timers;
  /** In the order in which they were accepted. */
  readonly #open = new Map<string, OpenMessage>();
  /** The CLI's id of a message → the client's, until the transcript has shown it. */
  readonly #unseen = new Map<string, string>();
  readonly #idOf = new Map<string, string>();
  /** The CLI's ids of quiet messages: it works on one even after it has ended for us. */
  readonly #quiet = new Set<string>();
  /** Ids of messages that the transcript shows as part of a turn that was running already. */
  readonly #joined = new Set<string>();
  /** The CLI's ids of all messages that were ever accepted. */
  readonly #ours = new Set<string>();
  #push: Push | undefined;
  #held = false;

  constructor(recorder: Recorder, timers: Timers) {
    this.#recorder = recorder;
    this.#timers = timers;
  }

  /** What an earlier host had accepted; all of it is on disk. */
  async restore(load: (text: StoredText) => Promise<string>): Promise<void> {
    for (const id of this.#recorder.state.acceptedIds) this.#ours.add(uuidOf(id));
    for (const { event, seen } of this.#recorder.state.accepted.values()) {
      const message = await loadMessage(event, load);
      this.#add(event.id, { message, safe: true, pushed: false }, seen);
    }
  }

  /** Same id twice: accepted once. Rejects with `log_write_failed`; the message then waits for the disk. */
  async accept(command: SessionCommandOf<"message">, by: string | undefined): Promise<void> {
    const { id = randomUUID(), text, content, from, priority, quiet } = command;
    if (!this.#recorder.state.acceptedIds.has(id)) {
      this.#recorder.tell({
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
    await untilDurable(this.#recorder, this.#timers, () => this.#release(id));
  }

  /** From now on messages go to this CLI; without one they wait. */
  open(push: Push): void {
    this.#push = push;
    this.#pump();
  }

  shut(): void {
    this.#push = undefined;
  }

  /** Messages are accepted and wait, whatever CLI there is. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#pump();
  }

  /** Is it a message that was accepted here, now or ever? */
  isOurs(uuid: string): boolean {
    return this.#ours.has(uuid);
  }

  /** All that recovery has to know; it sees to it that each reaches the next CLI, once. */
  handOver(): EngineMessage[] {
    const isDue = ({ safe, pushed }: OpenMessage) => safe && (pushed || !this.#held);
    const safe = [...this.#open.values()].filter(isDue);
    for (const message of safe) message.pushed = true;
    return safe.map(({ message }) => message);
  }

  /** The ids that clients chose; what the CLI calls by an id of its own is left out. */
  idsOf(uuids: readonly string[]): string[] {
    return uuids.flatMap((uuid) => this.#idOf.get(uuid) ?? []);
  }

  /** Messages of which the CLI makes a turn of its own kind, in which the model is not asked. */
  areQuiet(uuids: readonly string[]): boolean {
    return uuids.length > 0 && uuids.every((uuid) => this.#quiet.has(uuid));
  }

  /** Something that is in the CLI's hands has not been seen in the transcript yet. */
  get awaitsSight(): boolean {
    return this.#unseen.size > 0;
  }

  /** The transcript has a message of this id, which may be one of ours. */
  markSeen(uuid: string): void {
    const id = this.#unseen.get(uuid);
    if (id === undefined) return;
    this.#unseen.delete(uuid);
    this.#recorder.tell({ type: "message_seen", id });
    if (this.#quiet.has(uuid)) this.end([id]);
    else if (!this.#open.has(id)) this.#idOf.delete(uuid);
  }

  /** The same by the row that shows it. One that is no row of its own has joined the running turn. */
  markRow(row: Row): void {
    for (const uuid of messagesOf(row)) {
      const id = this.#unseen.get(uuid);
      if (id !== undefined && row.type !== "user" && this.#open.has(id)) this.#joined.add(id);
      this.markSeen(uuid);
    }
  }

  /** Messages that stand in the transcript and wait for a turn to end them. */
  inTranscript(): string[] {
    return [...this.#open].flatMap(([id, { message }]) =>
      this.#unseen.has(message.id) || message.quiet === true ? [] : [id],
    );
  }

  /** Messages that have joined the running turn, as the transcript shows. */
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

  drop(id: string, reason: SessionEventOf<"message_dropped">["reason"]): void {
    const message = this.#open.get(id);
    if (!message) return;
    this.#open.delete(id);
    this.#joined.delete(id);
    this.#unseen.delete(message.message.id);
    this.#idOf.delete(message.message.id);
    this.#recorder.tell({ type: "message_dropped", id, reason });
  }

  /** Drops what no CLI has been given. */
  dropWaiting(): void {
    for (const [id, { message, pushed }] of this.#open) {
      if (this.#unseen.has(message.id) && !pushed) this.drop(id, "aborted");
    }
  }

  /** The same, and what a CLI has been given and not written down is not wanted from it any more. */
  renounce(): void {
    this.dropWaiting();
    for (const message of this.#open.values()) {
      if (this.#unseen.has(message.message.id)) message.unwanted = true;
    }
  }

  isUnwanted(id: string): boolean {
    return this.#open.get(id)?.unwanted === true;
  }

  get hasUnwanted(): boolean {
    return [...this.#open.values()].some(({ unwanted }) => unwanted === true);
  }

  /** The CLI is gone that was given them: what it has not written down is dropped. */
  dropUnwanted(): void {
    for (const [id, { message, unwanted }] of this.#open) {
      if (unwanted && this.#unseen.has(message.id)) this.drop(id, "aborted");
    }
  }

  /** Ids of messages that no turn has taken up. */
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

  /** In order: one that is not safe yet holds up those behind it, for a moment. */
  #pump(): void {
    for (const message of this.#open.values()) {
      if (!this.#push || this.#held || !message.safe) return;
      if (message.pushed) continue;
      message.pushed = true;
      this.#push(message.message);
    }
  }
}

async function loadMessage(
  event: SessionEventOf<"user_message">,
  load: (text: StoredText) => Promise<string>,
): Promise<EngineMessage> {
  const { id, text, content, from, priority, quiet } = event;
  const words = { id, from, priority, quiet };
  if (text !== undefined) return toEngineMessage({ ...words, text: await load(text) });
  return toEngineMessage({ ...words, content: await loadBlocks(content ?? [], load) });
}
