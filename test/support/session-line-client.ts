import type { Socket } from "node:net";
import { createConnection } from "node:net";
import { onTestFinished, vi } from "vitest";
import { LineSplitter } from "../../src/wire/lines.ts";
import { Trail } from "./trail.ts";

/** A line from a session: an event when it has a `seq`. */
export interface Line {
  type: string;
  seq?: number;
  [field: string]: unknown;
}

/** A client as anybody would write it: a socket and lines of JSON. */
export class SessionLineClient extends Trail<Line> {
  readonly socket: Socket;
  /** Bytes as they came. */
  readonly chunks: Buffer[] = [];
  readonly ended: Promise<void>;
  #asked = 0;

  constructor(path: string, { reading = true } = {}) {
    super();
    this.socket = createConnection({ path, allowHalfOpen: true });
    this.socket.on("error", () => {});
    this.ended = new Promise((resolve) => this.socket.once("close", () => resolve()));
    this.socket.once("end", () => this.socket.end());
    onTestFinished(() => void this.socket.destroy());
    if (reading) this.read();
  }

  read(): void {
    const splitter = new LineSplitter(64 * 1024 * 1024);
    this.socket.on("data", (chunk) => {
      this.chunks.push(chunk);
      for (const split of splitter.push(chunk)) {
        if (split.ok) this.add(JSON.parse(Buffer.from(split.bytes).toString()) as Line);
      }
    });
  }

  send(...commands: object[]): void {
    this.sendRaw(commands.map((command) => `${JSON.stringify(command)}\n`).join(""));
  }

  /** Sends the command under a ref of its own, and waits for the line that answers it. */
  async ask(command: object): Promise<Line> {
    const ref = `ask-${(this.#asked += 1)}`;
    this.send({ ...command, ref });
    const answer = (): Line | undefined => this.told.find((line) => line["ref"] === ref);
    await vi.waitUntil(answer, { timeout: 45_000, interval: 10 });
    return answer()!;
  }

  sendRaw(text: string | Uint8Array): void {
    this.socket.write(text);
  }

  /** Ends this side; the other may go on. */
  halfClose(): void {
    this.socket.end();
  }

  get events(): Line[] {
    return this.told.filter(({ seq }) => seq !== undefined);
  }

  /** The numbers of the events after the newest `attached`, which is where counting begins. */
  get seqs(): number[] {
    const start = this.told.findLastIndex(({ type }) => type === "attached");
    return this.told.slice(start + 1).flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
  }
}
