import type { SpawnedProcess, SpawnOptions } from "@anthropic-ai/claude-agent-sdk";
import { childEnvironment, claudeVariables, baseVariables } from "../proc/environment.ts";
import type { Child } from "../proc/start-child.ts";
import { startChild } from "../proc/start-child.ts";
import type { ChildExit } from "../proc/stop.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";

/** How much of what the CLI wrote to its error output is kept to explain its end. */
const STDERR_TAIL_CHARS = 4_096;
/** The CLI ends by itself when its input ends; a tool that does not obey may hold it up. */
const END_OF_INPUT_MS = 3_000;

/** The CLI's process. It, and whatever it starts, ends with us and with the session. */
export class CliProcess {
  readonly environment: Record<string, string>;
  #child: Child | undefined;
  #exit: ChildExit | undefined;
  #stderr = "";

  constructor(extra: Record<string, string>) {
    this.environment = childEnvironment({
      allow: [...baseVariables, ...claudeVariables],
      extra: {
        // A message is in the transcript within milliseconds, and so is a tool call before it is asked
        // about; recovery reads both from there.
        CLAUDE_CODE_EAGER_FLUSH: "1",
        CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
        ...extra,
      },
    });
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** For the SDK, which decides on the command line. */
  start({ command, args, cwd, env, signal }: SpawnOptions): SpawnedProcess {
    const child = startChild({ command, args, env, ...(cwd !== undefined && { cwd }) });
    this.#child = child;
    child.process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARS);
    });
    signal.addEventListener("abort", () => child.process.kill("SIGTERM"), { once: true });
    return child.process;
  }

  /** Waits for the CLI, which has been told to end, and ends it and its tools if it does not. */
  async stop(): Promise<void> {
    await this.#child?.stop({ askMs: END_OF_INPUT_MS });
  }

  /** Resolves when the CLI has ended and nothing that it started is left. */
  async gone(): Promise<void> {
    this.#exit = await this.#child?.exited;
    await this.#child?.gone;
  }

  /** Why the CLI is gone, in words for a person. */
  explainEnd(thrown: unknown): ClaudeCodeError {
    const how = this.#exit ? endOf(this.#exit) : "did not start";
    const words = this.#stderr.trim() || (thrown instanceof Error ? thrown.message : "");
    const detail = words === "" ? "" : `: ${words}`;
    return errorOf("cli_exited", `Claude Code ${how}${detail}`, {
      cause: thrown,
      data: { exit_code: this.#exit?.code ?? null, signal: this.#exit?.signal ?? null },
    });
  }
}

const endOf = ({ code, signal }: ChildExit): string =>
  signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
