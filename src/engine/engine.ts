import type { Query, SDKMessage, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { query } from "@anthropic-ai/claude-agent-sdk";
import type { WireError } from "../wire/error-wire.ts";
import { toWire } from "../wire/error-wire.ts";
import { ClaudeCodeError, errorOf } from "../wire/errors.ts";
import type { ContextUsage, Effort } from "../wire/session-terms.ts";
import { CliProcess } from "./cli-process.ts";
import type { EngineEvent } from "./events.ts";
import { InputQueue } from "./input-queue.ts";
import type { EngineMessage } from "./message.ts";
import { toSdkMessage } from "./message.ts";
import { countOf } from "./normalise/lenient.ts";
import { Normaliser } from "./normalise/normaliser.ts";
import type { EngineOptions, PermissionMode } from "./options.ts";
import { sdkOptions } from "./options.ts";
import { StallWatch } from "./stall-watch.ts";
import { TaskOutput } from "./task-output.ts";

/** A request to the CLI that is not answered in this time is given up. */
const CONTROL_TIMEOUT_MS = 10_000;
/** A machine that starts twenty sessions at once needs many seconds for each. */
const START_TIMEOUT_MS = 30_000;
/** How long a running turn may take to end when the session is closed. */
const ABORT_ON_CLOSE_MS = 2_000;
const STALL_MS = 60_000;

export interface StartOptions extends EngineOptions {
  /** Called for each event, in order, from within the loop that reads the CLI; must not throw. */
  onEvent: (event: EngineEvent) => void;
  /**
   * Silence of the model in the middle of an answer that is worth telling; three times as much where only the
   * whole is told, as by a sub-agent, or of a summary.
   */
  stallMs?: number;
  /**
   * Nobody counts on the temporary files of a session that ends badly, such as the output of commands: they
   * are removed. Not those of a session that was resumed: others may have put something there.
   */
  fleeting?: boolean;
}

export interface McpServer {
  name: string;
  status: string;
  tools: string[];
  error?: string;
}

/** The SDK's interrupt can also cancel what is queued; only its types do not say so. */
interface CancellingQuery extends Query {
  interrupt(options?: { cancelQueued: boolean }): ReturnType<Query["interrupt"]>;
}

export interface SlashCommand {
  name: string;
  description?: string;
  argument_hint?: string;
}

/** One Claude Code process with one conversation. */
export class Engine {
  readonly #input = new InputQueue<SDKUserMessage>();
  readonly #process: CliProcess;
  readonly #query: CancellingQuery;
  readonly #onEvent: (event: EngineEvent) => void;
  readonly #stall: StallWatch;
  /** The turn that runs now or ran last. */
  #turn: PromiseWithResolvers<void> | undefined;
  #closing = false;
  /** The sessions whose temporary files go if the CLI cannot end well. */
  readonly #fleeting: Set<string> | undefined;
  /** Resolves, after the event `closed`, when the CLI and all that it started are gone. Never rejects. */
  readonly closed: Promise<void>;

  /** Throws `cwd_not_found` or `cli_not_found` at once; what goes wrong later is told by events. */
  constructor(options: StartOptions) {
    this.#onEvent = options.onEvent;
    const { fleeting = false, resume, continueLatest = false } = options;
    if (fleeting && resume === undefined && !continueLatest) this.#fleeting = new Set();
    this.#process = new CliProcess(options.env ?? {});
    this.#stall = new StallWatch(options.stallMs ?? STALL_MS, this.#onEvent);
    this.#query = query({
      prompt: this.#input,
      options: {
        ...sdkOptions(options),
        env: this.#process.environment,
        spawnClaudeCodeProcess: (spawn) => this.#process.start(spawn),
      },
    });
    this.closed = this.#run(new Normaliser(this.#onEvent, startedIn(options)));
  }

  /** Takes messages still. */
  get open(): boolean {
    return !this.#input.closed;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Resolves when the CLI has started and read its settings; the first message need not wait for it. */
  async ready(): Promise<void> {
    await this.#control(this.#query.initializationResult(), START_TIMEOUT_MS);
  }

  /** Hands a message to the CLI. Whether and when it is part of the conversation is told by events. */
  push(message: EngineMessage): void {
    if (!this.#input.push(toSdkMessage(message))) {
      throw errorOf("cli_exited", "The session is closed and takes no more messages.");
    }
  }

  /**
   * Stops the running turn. Queued messages stay and run next, and their ids are given back; or, if they
   * are to be dropped, each is told as `cancelled`.
   */
  async interrupt({ dropQueued = false } = {}): Promise<{ stillQueued: string[] }> {
    const answer = await this.#control(
      this.#query.interrupt(...(dropQueued ? [{ cancelQueued: true }] : [])),
    );
    return { stillQueued: answer?.still_queued ?? [] };
  }

  async setMode(mode: PermissionMode): Promise<void> {
    await this.#control(this.#query.setPermissionMode(mode));
  }

  async setModel(model: string): Promise<void> {
    await this.#control(this.#query.setModel(model));
  }

  /** Whether the session keeps this process from ending by itself, as it does from its start. */
  keepAlive(on: boolean): void {
    this.#process.keepAlive(on);
  }

  /**
   * The MCP servers as the CLI sees them now, each with its tools' own names. A CLI that starts answers when
   * it has started.
   */
  async mcpServers(withinMs = CONTROL_TIMEOUT_MS): Promise<McpServer[]> {
    const servers = await this.#control(this.#query.mcpServerStatus(), withinMs);
    return servers.map(({ name, status, error, tools = [] }) => ({
      name,
      status,
      tools: tools.map((tool) => tool.name),
      ...(error !== undefined && { error }),
    }));
  }

  /** Null gives the choice back to the model. */
  async setEffort(effort: Effort | null): Promise<void> {
    await this.#control(this.#query.applyFlagSettings({ effortLevel: effort }));
  }

  async slashCommands(): Promise<SlashCommand[]> {
    const commands = await this.#control(this.#query.supportedCommands());
    return commands.map(({ name, description, argumentHint }) => ({
      name,
      ...(description && { description }),
      ...(argumentHint && { argument_hint: argumentHint }),
    }));
  }

  /** What a command prints that still runs; undefined where this CLI does not show it. */
  openTaskOutput(sessionId: string, taskId: string): TaskOutput | undefined {
    return TaskOutput.open(this.#process.environment, sessionId, taskId);
  }

  /** How full the conversation is, without a question to the model's API. */
  async contextUsage(): Promise<ContextUsage> {
    const usage = await this.#control(this.#query.getContextUsage({ detail: "summary" }));
    return { tokens: countOf(usage.totalTokens), window: countOf(usage.maxTokens) };
  }

  /**
   * Ends the turn, the CLI and everything that it started, in bounded time. Messages that still wait are
   * not begun: the CLI tells them as `cancelled`, and a later one may be given them again. Idempotent.
   */
  async close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      const aborted = this.#control(this.#abortTurn(), ABORT_ON_CLOSE_MS);
      this.#input.close();
      await aborted.catch(() => {});
      this.#query.close();
    }
    await this.closed;
  }

  /** Ends a CLI that does not obey, without asking it. What it had not written down is lost. */
  async kill(): Promise<void> {
    this.#closing = true;
    this.#input.close();
    this.#process.kill();
    this.#query.close();
    await this.closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Without it the CLI would use its grace to finish the turn that nobody wants, and to begin the next. */
  async #abortTurn(): Promise<void> {
    await this.#query.interrupt({ cancelQueued: true });
    await this.#turn?.promise;
  }

  async #run(normaliser: Normaliser): Promise<void> {
    let failure: unknown;
    try {
      await this.#read(normaliser);
    } catch (thrown) {
      failure = thrown;
    }
    this.#stall.stop();
    this.#input.close();
    this.#onEvent({ type: "closed", ...(await this.#end(failure)) });
  }

  async #read(normaliser: Normaliser): Promise<void> {
    for await (const message of this.#query) {
      this.#stall.take(message);
      this.#follow(message);
      normaliser.take(message);
    }
  }

  /** The SDK has nothing more to tell; what is left of the processes goes. */
  async #end(failure: unknown): Promise<{ error?: WireError }> {
    try {
      await this.#process.stop();
    } catch (thrown) {
      return { error: toWire(thrown) };
    }
    this.#process.tidyUp(this.#fleeting ?? []);
    return this.#closing ? {} : { error: toWire(this.#process.explainEnd(failure)) };
  }

  #follow(message: SDKMessage): void {
    if (message.type === "system" && message.subtype === "init") {
      this.#turn = Promise.withResolvers();
      this.#fleeting?.add(message.session_id);
    }
    if (message.type === "result") this.#turn?.resolve();
  }

  async #control<Answer>(answer: Promise<Answer>, withinMs = CONTROL_TIMEOUT_MS): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(errorOf("timeout", `Claude Code did not answer within ${withinMs / 1000} s.`));
      }, withinMs);
    });
    try {
      return await Promise.race([answer, late]);
    } catch (thrown) {
      throw thrown instanceof ClaudeCodeError ? thrown : this.#explain(thrown);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The CLI refuses what it cannot do, such as a mode that it was not started for, and lives on. */
  #explain(thrown: unknown): ClaudeCodeError {
    if (this.#process.ended) return this.#process.explainEnd(thrown);
    if (!this.open) return errorOf("cli_exited", "The session is closed.", { cause: thrown });
    const words = thrown instanceof Error ? thrown.message : String(thrown);
    return errorOf("execution_failed", `Claude Code refused: ${words}`, { cause: thrown });
  }
}

/** A copy that was given no id, and the latest session, have one that only the CLI knows. */
const startedIn = ({ sessionId, resume, fork = false }: EngineOptions): string | undefined =>
  sessionId ?? (fork ? undefined : resume);
