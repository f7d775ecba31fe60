import { Duplex } from "node:stream";
import type { StreamEffect, StreamFact, TunnelStreamState } from "./stream-state.ts";
import { nextStream } from "./stream-state.ts";
import type { Frame } from "./frame.ts";
import { connectionLost } from "./tunnel-errors.ts";

export interface TunnelStreamOptions {
  readonly state: TunnelStreamState;
  readonly send: (frame: Frame) => void;
  readonly onOpened: () => void;
  readonly onDenied: (body: Uint8Array) => void;
  /** There will be no more frames of it. */
  readonly onClosed: () => void;
}

type Done = (error?: Error | null) => void;

/** One stream of a tunnel, as its users see it. */
export class TunnelStream extends Duplex {
  readonly #options: TunnelStreamOptions;
  #state: TunnelStreamState;
  /** What the reader has not taken; null is the end. Never more than the window. */
  readonly #unread: (Uint8Array | null)[] = [];
  #isWanted = false;
  #onWritten: Done | undefined;
  #onFinished: Done | undefined;

  constructor(options: TunnelStreamOptions) {
    super({ allowHalfOpen: true });
    this.#options = options;
    this.#state = options.state;
  }

  get state(): TunnelStreamState {
    return this.#state;
  }

  tell(fact: StreamFact): void {
    const [state, effects] = nextStream(this.#state, fact);
    const wasClosed = this.#state.at === "closed";
    this.#state = state;
    for (const effect of effects) this.#carryOut(effect);
    if (!wasClosed && state.at === "closed") this.#options.onClosed();
  }

  #carryOut(effect: StreamEffect): void {
    switch (effect.type) {
      case "send":
        return this.#options.send(effect.frame);
      case "opened":
        return this.#options.onOpened();
      case "denied":
        return this.#options.onDenied(effect.body);
      case "deliver":
        this.#unread.push(effect.bytes);
        return this.#pass();
      case "deliver_end":
        this.#unread.push(null);
        return this.#pass();
      case "written":
        return take(this.#onWritten, () => (this.#onWritten = undefined));
      case "finished":
        return take(this.#onFinished, () => (this.#onFinished = undefined));
      case "lost":
        this.destroy(connectionLost(effect.why));
    }
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#onWritten = done;
    this.tell({ type: "write", bytes });
  }

  /** Small writes that came together are one message. */
  override _writev(writes: { chunk: Buffer }[], done: Done): void {
    const [first] = writes;
    const bytes =
      writes.length === 1 && first ? first.chunk : Buffer.concat(writes.map(({ chunk }) => chunk));
    this.#onWritten = done;
    this.tell({ type: "write", bytes });
  }

  override _final(done: Done): void {
    this.#onFinished = done;
    this.tell({ type: "end" });
  }

  override _read(): void {
    this.#isWanted = true;
    this.#pass();
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#unread.length = 0;
    this.tell({ type: "destroyed" });
    done(error);
  }

  /** Passes on what the reader wants, and gives the peer credit for it. */
  #pass(): void {
    let taken = 0;
    while (this.#isWanted && this.#unread.length > 0) {
      const bytes = this.#unread.shift() ?? null;
      // The reader may want more at once, and calls `_read` again.
      this.#isWanted = this.push(bytes);
      taken += bytes?.length ?? 0;
    }
    if (taken > 0) this.tell({ type: "reader_took", bytes: taken });
  }
}

function take(done: Done | undefined, forget: () => void): void {
  forget();
  done?.();
}
