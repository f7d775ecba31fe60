import type { Channel } from "../../src/net/channel.ts";
import { channel } from "../../src/net/channel.ts";
import { jsonFrames } from "../../src/net/codec.ts";
import { dial } from "../../src/net/connect-with-retries.ts";
import type { Parsed } from "../../src/wire/json-payload.ts";

/** A peer that speaks frames, and says what it likes. */
export class FramePeer implements AsyncDisposable {
  readonly channel: Channel<unknown, Parsed>;
  readonly #received: AsyncIterator<Parsed>;

  constructor(frames: Channel<unknown, Parsed>) {
    this.channel = frames;
    this.#received = frames[Symbol.asyncIterator]();
  }

  static async connect(path: string): Promise<FramePeer> {
    return new FramePeer(channel(await dial(path), jsonFrames));
  }

  send(value: unknown): void {
    void this.channel.send(value);
  }

  /** Bytes as they are, header and all. */
  sendBytes(bytes: Uint8Array): void {
    if (!this.channel.trySend(bytes)) throw new Error("The bytes were not taken.");
  }

  /** The next message, or "end". */
  async next(): Promise<unknown> {
    const { value, done } = await this.#received.next();
    if (done) return "end";
    if (!value.ok) throw value.error;
    return value.value;
  }

  async ask(value: unknown): Promise<unknown> {
    this.send(value);
    return this.next();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel.close();
  }
}
