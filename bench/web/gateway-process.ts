import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

const MS_PER_TICK = 10;
const program = new URL("./programs/gateway.ts", import.meta.url).pathname;
const page = join(import.meta.dirname, "../../dist/page");

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** A gateway in a process of its own, as it is when it serves people. */
export class GatewayProcess implements AsyncDisposable {
  readonly origin: string;
  /** Each signs one person in. */
  readonly links: readonly string[];
  readonly #child: Child;
  readonly #directory: string;

  private constructor(child: Child, directory: string, said: Said) {
    this.#child = child;
    this.#directory = directory;
    this.origin = said.origin;
    this.links = said.links;
  }

  static async start(socket: string, links: number): Promise<GatewayProcess> {
    const directory = mkdtempSync(join(tmpdir(), "switchboard-bench-"));
    const args = [program, socket, join(directory, "web"), page, String(links)];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    const line = await firstLine(child);
    return new GatewayProcess(child, directory, JSON.parse(line) as Said);
  }

  /** Time of the processor so far. */
  get cpuMs(): number {
    const afterName = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8").split(") ")[1] ?? "";
    const fields = afterName.split(" ");
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.stdin.end();
    await ended;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

interface Said {
  readonly origin: string;
  readonly links: readonly string[];
}

async function firstLine(child: Child): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.includes("\n")) return text;
  }
  throw new Error("The gateway ended before it was ready.");
}
