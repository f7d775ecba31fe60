import type { Socket } from "node:net";
import type { SpawnedProcess, SpawnOptions } from "@anthropic-ai/claude-agent-sdk";
import type { PipedChild } from "../proc/start-child.ts";
import { startChild } from "../proc/start-child.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import { removeFilesOf, removeSocketOf } from "./claude-temp-files.ts";
import { cliEnvironment } from "./cli-environment.ts";
import { readInBatches } from "./read-in-batches.ts";
import { saysUnknownSession } from "./normalise/classify-failure.ts";

/** How much of the CLI's error output is kept to explain its end. */
const STDERR_TAIL_CHARS = 4_096;
/** The CLI ends by itself when its input ends; a tool that does not obey may delay it. */
const END_OF_INPUT_MS = 3_000;
/** The CLI's process. It, and whatever it starts, ends with us and with the session. */
export class CliProcess {
  readonly environment: Record<string, string>;
  #child: PipedChild | undefined;
  #stderr = "";

  constructor(extra: Record<string, string>) {
    this.environment = cliEnvironment(extra);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get ended(): boolean {
    const { exitCode = null, signalCode = null } = this.#child?.process ?? {};
    return exitCode !== null || signalCode !== null;
  }

  /**
   * Called by the SDK, which decides the command line. The SDK's signal is not needed: `stop` is called in any case.
   */
  start({ command, args, cwd, env }: SpawnOptions): SpawnedProcess {
    // After the host is gone, the SDK would answer an open question with "no answer" and so use it up.
    const place = cwd !== undefined && { cwd };
    const child = startChild({ command, args, env, ...place, holdPipes: true });
    this.#child = child;
    child.process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARS);
    });
    readInBatches(child.process.stdout);
    return child.process;
  }

  /** Whether the CLI keeps this process alive. */
  keepAlive(on: boolean): void {
    if (!this.#child) return;
    const { process } = this.#child;
    // Its streams are sockets; only their types do not say so.
    const pipes = [process.stdin, process.stdout, process.stderr] as unknown as Socket[];
    for (const handle of [process, ...pipes]) void (on ? handle.ref() : handle.unref());
  }

  /**
   * Waits for a CLI that was told to end or has ended, and kills it and its tools if they do not end. Rejects with
   * `timeout` if something cannot be ended.
   */
  async stop(): Promise<void> {
    await this.#child?.stop({ askMs: END_OF_INPUT_MS });
  }

  /**
   * Removes what a killed CLI could not remove itself, and the temporary files of these sessions, which it began. For
   * a CLI that did not end in time, this happens when it does end.
   */
  tidyUp(sessionIds: Iterable<string>): void {
    if (!this.#child) return;
    const { pid, process } = this.#child;
    if (!this.ended) {
      process.once("exit", () => this.tidyUp(sessionIds));
      return;
    }
    if (process.exitCode === 0) return;
    removeSocketOf(pid, this.environment);
    for (const id of sessionIds) removeFilesOf(id, this.environment);
  }

  /** Kills the CLI alone, at once; `stop` ends what it leaves behind. */
  kill(): void {
    this.#child?.process.kill("SIGKILL");
  }

  /** Why the CLI is gone, in words for a person. */
  explainEnd(thrown: unknown): ClaudeCodeError {
    const { exitCode = null, signalCode = null } = this.#child?.process ?? {};
    const how =
      signalCode === null ? `ended with exit code ${exitCode}` : `was ended by ${signalCode}`;
    // The SDK's error adds nothing to `how`, unless the SDK itself gave up.
    const itself = exitCode === 0 && thrown instanceof Error ? thrown.message : "";
    const words = this.#stderr.trim() || itself;
    const code = saysUnknownSession(words) ? "session_not_found" : "cli_exited";
    return errorOf(code, `Claude Code ${how}${words && `: ${words}`}`, {
      cause: thrown,
      data: { exit_code: exitCode, signal: signalCode },
    });
  }
}
