import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TcpProxy } from "./tcp-proxy.ts";

const fixture = join(import.meta.dirname, "../../process/fixtures/nats-writer.ts");

export interface WriterArguments {
  name: string;
  directory: string;
  servers: readonly string[];
  team: string;
}

/** A process that sends as the office whenever it is told to become it. It can be killed, and has a successor then. */
export class Writer {
  readonly proxies: readonly TcpProxy[];
  /** Ids, in the order of the acknowledgements, of all its processes. */
  readonly acknowledged: string[] = [];
  readonly problems: string[] = [];
  isOffice = false;
  takeOvers = 0;
  readonly #arguments: WriterArguments;
  #child: ChildProcess;
  #incarnation = 0;

  constructor(settings: Omit<WriterArguments, "servers">, proxies: readonly TcpProxy[]) {
    this.proxies = proxies;
    this.#arguments = { ...settings, servers: proxies.map(({ url }) => url) };
    this.#child = this.#start();
  }

  take(): void {
    this.#child.stdin?.write("take\n");
  }

  pause(): void {
    this.#child.kill("SIGSTOP");
  }

  resume(): void {
    this.#child.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    this.isOffice = false;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await ended;
  }

  async restart(): Promise<void> {
    await this.kill();
    this.#child = this.#start();
  }

  #start(): ChildProcess {
    this.#incarnation += 1;
    const { name, ...rest } = this.#arguments;
    const settings = JSON.stringify({ ...rest, name: `${name}${this.#incarnation}` });
    const child = spawn(process.execPath, [fixture, settings], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.on("error", () => undefined);
    let unfinished = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      const lines = (unfinished + text).split("\n");
      unfinished = lines.pop() ?? "";
      for (const line of lines) this.#hear(line);
    });
    return child;
  }

  #hear(line: string): void {
    const [word = "", about = ""] = line.split(/ (.*)/s);
    if (word === "ack") this.acknowledged.push(about);
    else if (word === "office") {
      this.isOffice = true;
      this.takeOvers += 1;
    } else if (word === "deposed") this.isOffice = false;
    else this.problems.push(line);
  }
}
