import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Command } from "./command.ts";
import { spawnPiped } from "./command.ts";
import { takeLines } from "./lines.ts";

interface Answer {
  id?: number;
  result?: CallResult;
  error?: { message: string };
}

export interface CallResult {
  content?: { text?: string }[];
  isError?: boolean;
}

/** An MCP client that adds as little as possible to what it measures. */
export class StdioClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, PromiseWithResolvers<CallResult>>();
  #lastId = 0;

  private constructor(command: Command) {
    this.#child = spawnPiped(command);
    this.#child.stdin.on("error", () => {});
    this.#child.once("exit", () => this.#giveUp(command));
    takeLines(this.#child.stdout, (line) => this.#take(JSON.parse(line.toString()) as Answer));
  }

  /** Starts the program and makes the handshake. */
  static async open(command: Command): Promise<StdioClient> {
    const client = new StdioClient(command);
    await client.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "bench", version: "1" },
    });
    client.#send({ method: "notifications/initialized" });
    return client;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async request(method: string, params: object = {}): Promise<CallResult> {
    const id = (this.#lastId += 1);
    const answer = Promise.withResolvers<CallResult>();
    this.#waiting.set(id, answer);
    this.#send({ id, method, params });
    return answer.promise;
  }

  call(name: string, args: object): Promise<CallResult> {
    return this.request("tools/call", { name, arguments: args });
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #take({ id, result, error }: Answer): void {
    const answer = this.#waiting.get(id ?? -1);
    this.#waiting.delete(id ?? -1);
    if (result) answer?.resolve(result);
    else answer?.reject(new Error(error?.message));
  }

  #giveUp({ command, args }: Command): void {
    const error = new Error(`${[command, ...args].join(" ")} has ended`);
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
