import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface NatsServerFiles {
  readonly name: string;
  /** Holds the configuration, the log and the pid. */
  readonly directory: string;
  readonly port: number;
  readonly monitorPort: number;
  readonly storeDirectory: string;
  readonly config: string;
}

/** One nats-server, with its store: it can be killed, paused and started again on the same ports. */
export class NatsServer {
  readonly name: string;
  readonly url: string;
  /** Where the server tells of itself by HTTP, without credentials: `/healthz`, `/jsz`, `/connz`. */
  readonly monitorUrl: string;
  readonly storeDirectory: string;
  readonly #files: NatsServerFiles;
  #process: ChildProcess | undefined;

  constructor(files: NatsServerFiles) {
    this.#files = files;
    this.name = files.name;
    this.storeDirectory = files.storeDirectory;
    this.url = `nats://127.0.0.1:${files.port}`;
    this.monitorUrl = `http://127.0.0.1:${files.monitorPort}`;
    writeFileSync(this.#path("conf"), files.config);
  }

  get pid(): number {
    const pid = this.#process?.pid;
    if (pid === undefined) throw new Error(`${this.name} does not run`);
    return pid;
  }

  get log(): string {
    return readFileSync(this.#path("log"), "utf8");
  }

  /** Starts the process, and does not wait: a server of a cluster is healthy only when the others are. */
  spawn(): void {
    const log = openSync(this.#path("log"), "a");
    const child = spawn(serverFile(), ["-c", this.#path("conf")], { stdio: ["ignore", log, log] });
    closeSync(log);
    writeFileSync(this.#path("pid"), `${child.pid}\n`);
    this.#process = child;
  }

  /** Resolves when the server serves: its JetStream too, which in a cluster takes an election. */
  async healthy(limitMs = 40_000): Promise<void> {
    const deadline = performance.now() + limitMs;
    while ((await this.#health()) !== 200) {
      if (performance.now() > deadline)
        throw new Error(`${this.name} does not serve:\n${this.log}`);
      await delay(20);
    }
  }

  async start(): Promise<void> {
    this.spawn();
    await this.healthy();
  }

  /** As by `kill -9`. Also ends a paused server. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** A clean end: a leader hands its leadership over first. */
  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  pause(): void {
    process.kill(this.pid, "SIGSTOP");
  }

  resume(): void {
    process.kill(this.pid, "SIGCONT");
  }

  async #health(): Promise<number | undefined> {
    const child = this.#process;
    if (!child || child.exitCode !== null) throw new Error(`${this.name} has ended:\n${this.log}`);
    try {
      const signal = AbortSignal.timeout(2000);
      const answer = await fetch(`${this.monitorUrl}/healthz`, { signal });
      await answer.body?.cancel();
      return answer.status;
    } catch {
      return undefined;
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
    this.#process = undefined;
  }

  #path(ending: string): string {
    return join(this.#files.directory, `${this.name}.${ending}`);
  }
}

function serverFile(): string {
  const file = process.env["NATS_SERVER"];
  if (!file) throw new Error("there is no nats-server: skip the tests that need one");
  return file;
}
