import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { createConnection } from "node:net";
import type { Readable, Writable } from "node:stream";
import { takeLines } from "../bridge/lines.ts";
import type { Place, Line } from "./way.ts";

const PATIENCE_MS = 120_000;

/** A process that speaks lines of JSON, on its stdio or on a socket of its own. */
export class LinePeer {
  readonly child: ChildProcess;
  bytes = 0;
  /** Once connected. */
  socketPath = "";
  #output: Writable;
  #listeners = new Set<(line: Line) => void>();
  #stderr = "";
  readonly #gone: Promise<never>;

  constructor(args: string[], { cwd, env }: Place) {
    const child = spawn(process.execPath, args, { cwd, env, stdio: "pipe" });
    this.child = child;
    this.#output = child.stdin;
    child.stdin.on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-2000);
    });
    this.#gone = once(child, "exit").then(() => {
      throw new Error(`${args.join(" ")} has ended: ${this.#stderr}`);
    });
    this.#gone.catch(() => {});
    this.#listen(child.stdout);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** From now on on this socket. */
  async connect(path: string): Promise<void> {
    const socket = createConnection(path);
    socket.on("error", () => {});
    await once(socket, "connect");
    this.#output = socket;
    this.socketPath = path;
    this.#listen(socket);
  }

  send(message: object): void {
    this.#output.write(`${JSON.stringify(message)}\n`);
  }

  /** The first line, of those to come, for which `take` gives something back. */
  async until<Found>(take: (line: Line) => Found | undefined): Promise<Found> {
    const found = Promise.withResolvers<Found>();
    const listener = (line: Line): void => {
      const value = take(line);
      if (value !== undefined) found.resolve(value);
    };
    this.#listeners.add(listener);
    const late = () => found.reject(new Error(`Nothing within ${PATIENCE_MS} ms.`));
    const timer = setTimeout(late, PATIENCE_MS);
    try {
      return await Promise.race([found.promise, this.#gone]);
    } finally {
      clearTimeout(timer);
      this.#listeners.delete(listener);
    }
  }

  async close(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await exit;
    clearTimeout(timer);
  }

  #listen(stream: Readable | Socket): void {
    stream.on("data", (chunk: Buffer) => (this.bytes += chunk.length));
    takeLines(stream, (line) => {
      const message = JSON.parse(line.toString()) as Line;
      for (const listener of this.#listeners) listener(message);
    });
  }
}
