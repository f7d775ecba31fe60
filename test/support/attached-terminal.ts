import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";
import { SmallTerminal } from "./small-terminal.ts";

const project = resolve(import.meta.dirname, "../..");
const WITHIN_MS = 60_000;

interface Size {
  readonly columns: number;
  readonly rows: number;
}

const ESC = "\u001b";
const resized = new RegExp(`${ESC}_resize (\\d+) (\\d+)${ESC}\\\\`);

/** `agent-socket attach` or `switchboard attach` on a terminal, with a person at its keys. */
export class AttachedTerminal {
  readonly #child: ChildProcess;
  #shown = "";
  #seenUpTo = 0;
  #onShown: (() => void) | undefined;

  readonly #size: Size;

  constructor(
    socket: string,
    flags: readonly string[] = [],
    size: Size = { columns: 80, rows: 30 },
    program: "agent-socket" | "switchboard" = "agent-socket",
    kind = "xterm-256color",
  ) {
    this.#size = size;
    const command = [process.execPath, `${project}/bin/${program}.js`, "attach", socket, ...flags];
    this.#child = spawn(
      "python3",
      [
        `${import.meta.dirname}/on-terminal.py`,
        String(size.columns),
        String(size.rows),
        ...command,
      ],
      {
        stdio: ["pipe", "pipe", "inherit"],
        env: {
          ...process.env,
          TERM: kind,
          SWITCHBOARD_USER: "tester",
          NO_COLOR: "",
          FORCE_COLOR: "",
        },
      },
    );
    onTestFinished(() => void this.#child.kill("SIGKILL"));
    this.#child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#shown += chunk;
      this.#onShown?.();
    });
  }

  /** Everything that the terminal was sent, with its control sequences. */
  get raw(): string {
    return this.#shown;
  }

  /** What stands on the terminal and in its scroll-back. */
  get screen(): string {
    const terminal = new SmallTerminal(this.#size.columns, this.#size.rows);
    const [first = "", ...later] = this.#shown.replaceAll("\u0007", "").split(resized);
    terminal.write(first);
    for (let at = 0; at < later.length; at += 3) {
      terminal.resize(Number(later[at]), Number(later[at + 1]));
      terminal.write(later[at + 2] ?? "");
    }
    return terminal.text.join("\n");
  }

  resize({ columns, rows }: Size): void {
    this.type(`${ESC}_resize ${columns} ${rows}${ESC}\\`);
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Waits until the text was shown, after what the last call has waited for. */
  async sees(text: string): Promise<void> {
    const deadline = Date.now() + WITHIN_MS;
    for (;;) {
      const fresh = stripVTControlCharacters(this.#shown).slice(this.#seenUpTo);
      const at = fresh.indexOf(text);
      if (at >= 0) {
        this.#seenUpTo += at + text.length;
        return;
      }
      const leftMs = deadline - Date.now();
      if (leftMs <= 0) throw new Error(`not shown: ${text}\n--- since then:\n${fresh}`);
      await this.#more(leftMs);
    }
  }

  async exitCode(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, "exit");
    return this.#child.exitCode;
  }

  #more(withinMs: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, withinMs);
      this.#onShown = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}
