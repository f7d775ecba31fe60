import type { Socket } from "node:net";
import { createConnection } from "node:net";
import { LineSplitter } from "../../../src/wire/lines.ts";
import type { Line } from "../session-line-client.ts";
import { Trail } from "../trail.ts";

const RETRY_MS = 30;

/**
 * A client that loses its connection again and again, and goes on with `attach` where it was. It keeps
 * the lines as they came, and refuses one that is not the next.
 */
export class StormyClient extends Trail<Line> {
  readonly #path: string;
  readonly #linesUntilLoss: () => number;
  /** Since it last had to start over. */
  lines: Buffer[] = [];
  /** The number of the event before the first of them. */
  before = 0;
  disconnects = 0;
  resets = 0;
  /** Lines that were not the next one. */
  readonly wrong: string[] = [];
  #place: { log_id: string; epoch: number } | undefined;
  #socket: Socket | undefined;
  #attached = false;
  /** The next line is the first that it keeps. */
  #startsOver = false;
  /** A snapshot that repeats what it has, because the log begins a new file. */
  #inKnownPast = false;
  #closed = false;
  #retry: NodeJS.Timeout | undefined;
  /** Called on every connection, when the past has been told. */
  onAttached: () => void = () => {};

  /** `linesUntilLoss`: how many lines a connection brings before it is lost. */
  constructor(path: string, linesUntilLoss: () => number) {
    super();
    this.#path = path;
    this.#linesUntilLoss = linesUntilLoss;
    this.#connect();
  }

  get lastSeq(): number {
    return this.before + this.lines.length;
  }

  /** Whether it arrives is unknown: the connection may be lost before. */
  send(command: object): void {
    if (this.#attached) this.#socket?.write(`${JSON.stringify(command)}\n`);
  }

  disconnect(): void {
    if (!this.#socket || !this.#attached) return;
    this.disconnects += 1;
    this.#socket.destroy();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#socket?.destroy();
  }

  #connect(): void {
    const socket = createConnection(this.#path);
    const splitter = new LineSplitter(64 * 1024 * 1024);
    this.#socket = socket;
    this.#attached = false;
    let left = this.#linesUntilLoss();
    socket.on("error", () => {});
    socket.on("connect", () => {
      const attach = { type: "attach", since: this.lastSeq, client: "stormy", ...this.#place };
      socket.write(`${JSON.stringify(attach)}\n`);
    });
    socket.on("data", (chunk) => {
      for (const split of splitter.push(chunk)) {
        if (socket.destroyed) return;
        if (!split.ok) throw split.error;
        this.#take(Buffer.from(split.bytes));
        if (this.#attached && (left -= 1) < 0) this.disconnect();
      }
    });
    socket.once("close", () => {
      this.#attached = false;
      if (!this.#closed) this.#retry = setTimeout(() => this.#connect(), RETRY_MS);
    });
  }

  #take(bytes: Buffer): void {
    const line = JSON.parse(bytes.toString()) as Line;
    if (line.type === "attached") {
      this.#attached = true;
      this.#place = { log_id: line["log_id"] as string, epoch: line["epoch"] as number };
      this.#inKnownPast = false;
      this.#startsOver = line["reset"] === true;
      if (this.#startsOver) this.resets += 1;
      this.onAttached();
      return;
    }
    // What came before the answer is to be ignored.
    if (!this.#attached) return;
    if (line.seq !== undefined) {
      if (this.#startsOver) {
        this.lines = [];
        this.before = line.seq - 1;
      } else if (line.type === "snapshot_begin") this.#inKnownPast = true;
      this.#startsOver = false;
      if (line.seq !== this.lastSeq + 1) this.wrong.push(`${line.seq} after ${this.lastSeq}`);
      this.lines.push(bytes);
    }
    if (!this.#inKnownPast) this.add(line);
    if (line.type === "snapshot_end") this.#inKnownPast = false;
  }
}
