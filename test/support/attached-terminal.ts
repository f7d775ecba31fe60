import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";

const project = resolve(import.meta.dirname, "../..");
const WITHIN_MS = 60_000;

/** `agent-socket attach` on a terminal, with somebody at its keys. */
export class AttachedTerminal {
  readonly #child: ChildProcess;
  #shown = "";
  #seenUpTo = 0;
  #onShown: (() => void) | undefined;

  constructor(socket: string, flags: readonly string[] = []) {
    const command = [
      process.execPath,
      `${project}/bin/agent-socket.js`,
      "attach",
      socket,
      ...flags,
    ];
    this.#child = spawn(
      "python3",
      [`${import.meta.dirname}/on-terminal.py`, "80", "30", ...command],
      {
        stdio: ["pipe", "pipe", "inherit"],
        env: {
          ...process.env,
          TERM: "xterm-256color",
          USER: "tester",
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
