import type { SessionUpdate } from "@agentclientprotocol/sdk";

/** Hands updates to the editor. Resolves when its pipe has taken them. */
export type Deliver = (update: SessionUpdate) => Promise<void>;

export interface SenderClock {
  now(): number;
  /** Calls back once, after that many milliseconds. */
  after(ms: number, callback: () => void): void;
}

const realSenderClock: SenderClock = {
  now: () => performance.now(),
  after: (ms, callback) => void setTimeout(callback, ms),
};

/** Pieces of a text that come within one frame of a screen are sent as one. */
const GATHER_MS = 15;
const MAX_GATHERED_CHARS = 16_384;
/** How many updates may be on their way before the session is slowed down. */
const MAX_UNSENT = 1_000;

type Chunk = Extract<
  SessionUpdate,
  { sessionUpdate: "agent_message_chunk" | "agent_thought_chunk" }
>;

const isText = (update: SessionUpdate): update is Chunk =>
  (update.sessionUpdate === "agent_message_chunk" ||
    update.sessionUpdate === "agent_thought_chunk") &&
  update.content.type === "text";

/** Both texts in one update; undefined when they do not belong to one message. */
function joined(first: SessionUpdate, second: SessionUpdate): SessionUpdate | undefined {
  if (!isText(first) || !isText(second)) return undefined;
  if (first.sessionUpdate !== second.sessionUpdate || first.messageId !== second.messageId) {
    return undefined;
  }
  if (first.content.type !== "text" || second.content.type !== "text") return undefined;
  const text = first.content.text + second.content.text;
  if (text.length > MAX_GATHERED_CHARS) return undefined;
  return { ...first, content: { type: "text", text } };
}

/**
 * Sends the updates of one session in their order. The first piece of a text goes out at once; the pieces that follow it
 * within a few milliseconds are gathered, which spares the editor most of the work.
 */
export class UpdateSender {
  readonly #deliver: Deliver;
  readonly #clock: SenderClock;
  #held: SessionUpdate | undefined;
  #lastMs = -Infinity;
  #unsent = 0;
  #sent: Promise<void> = Promise.resolve();

  constructor(deliver: Deliver, clock: SenderClock = realSenderClock) {
    this.#deliver = deliver;
    this.#clock = clock;
  }

  push(update: SessionUpdate): void {
    const both = this.#held && joined(this.#held, update);
    if (both) {
      this.#held = both;
      return;
    }
    this.#release();
    const waitMs = this.#lastMs + GATHER_MS - this.#clock.now();
    if (!isText(update) || waitMs <= 0) {
      this.#send(update);
      return;
    }
    this.#held = update;
    this.#clock.after(waitMs, () => this.#release());
  }

  /** Resolves when everything pushed so far has been taken, or the editor is gone. */
  flushed(): Promise<void> {
    this.#release();
    return this.#sent;
  }

  /** Undefined while there is room for more. */
  whenReady(): Promise<void> | undefined {
    return this.#unsent < MAX_UNSENT ? undefined : this.#sent;
  }

  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#send(held);
  }

  #send(update: SessionUpdate): void {
    this.#lastMs = this.#clock.now();
    this.#unsent += 1;
    const settle = (): void => void (this.#unsent -= 1);
    // When the editor is gone, nothing is left to say to it.
    this.#sent = this.#deliver(update).then(settle, settle);
  }
}
