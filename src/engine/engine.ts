import type {
  McpSetServersResult,
  Options,
  Query,
  SDKMessage,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import { query } from "@anthropic-ai/claude-agent-sdk";
import type { WireError } from "../wire/error-wire.ts";
import { toWire } from "../wire/error-wire.ts";
import { withDeadline } from "../time/time-limit.ts";
import { ClaudeCodeError, errorOf } from "../wire/errors.ts";
import type { ModelChoice, SlashCommand } from "../wire/session/choices.ts";
import type { ContextUsage, Effort } from "../wire/session/shared-schemas.ts";
import { CliProcess } from "./cli-process.ts";
import type { EngineEvent } from "./events.ts";
import { InputQueue } from "./input-queue.ts";
import type { EngineMessage } from "./to-sdk-message.ts";
import { toSdkMessage } from "./to-sdk-message.ts";
import { modelChoice } from "./model-choice.ts";
import { countOf } from "./normalise/read-leniently.ts";
import { Normaliser } from "./normalise/normaliser.ts";
import type { EngineOptions, McpServerConfig, PermissionMode } from "./sdk-options.ts";
import { sdkOptions, serversForFile } from "./sdk-options.ts";
import type { ServerFile } from "./mcp-server-file.ts";
import { writeServerFile } from "./mcp-server-file.ts";
import type { Decide } from "./ask-permission.ts";
import { StallWatch } from "./stall-watch.ts";
import { SubagentCalls } from "./subagent-calls.ts";
import { SubagentFileChanges } from "./subagent-file-changes.ts";
import { TaskOutput } from "./task-output.ts";

/** How long a request to the CLI may take. */
const CONTROL_TIMEOUT_MS = 10_000;
/** A machine that starts twenty sessions at once needs many seconds for each. */
const START_TIMEOUT_MS = 30_000;
/** How long a running turn may take to end when the session is closed. */
const ABORT_ON_CLOSE_MS = 2_000;
const STALL_MS = 60_000;

export interface StartOptions extends EngineOptions {
  /** Called for each event, in order, from the loop that reads the CLI; must not throw. */
  onEvent: (event: EngineEvent) => void;
  /**
   * After how much silence of the model, in the middle of an answer, a `stalled` event is sent; three times as much
   * where only complete blocks arrive, as from a sub-agent or for a summary.
   */
  stallMs?: number;
  /**
   * Removes the temporary files of a session that ends badly, such as the output of commands. Not those of a resumed
   * session: other programs may have files there.
   */
  fleeting?: boolean;
  /** Results of sub-agents' calls that change files have a `detail`, too. */
  subagentDetails?: boolean;
}

export interface McpServerReport {
  name: string;
  status: string;
  tools: string[];
  error?: string;
}

/** The SDK's interrupt can also cancel queued messages, though its types do not show it. */
interface CancellingQuery extends Query {
  interrupt(options?: { cancelQueued: boolean }): ReturnType<Query["interrupt"]>;
}

/** The SDK has these methods; only its types do not say so. */
interface UntypedQuery {
  cancelAsyncMessage(messageId: string): Promise<boolean>;
  renameSession(title: string, sessionId?: string): Promise<void>;
}

/** One Claude Code process with one conversation. */
export class Engine {
  readonly #input = new InputQueue<SDKUserMessage>();
  readonly #process: CliProcess;
  readonly #query: CancellingQuery;
  readonly #onEvent: (event: EngineEvent) => void;
  readonly #stall: StallWatch;
  /** The running turn, or the last one. */
  #turn: PromiseWithResolvers<void> | undefined;
  #closing = false;
  readonly #askedAbout = new Set<string>();
  /** The sessions whose temporary files are removed if the CLI does not end cleanly. */
  readonly #fleeting: Set<string> | undefined;
  /** For a CLI that can read its servers only from a file. */
  readonly #serverFile: ServerFile | undefined;
  /** Resolves, after the event `closed`, when the CLI and all that it started are gone. Never rejects. */
  readonly closed: Promise<void>;

  /** Throws `cwd_not_found`, `cli_not_found` or `cli_too_old` at once; later failures are events. */
  constructor(options: StartOptions) {
    const calls = new SubagentCalls();
    const details = new SubagentFileChanges();
    this.#onEvent = (event) => {
      calls.take(event);
      options.onEvent(details.complete(event));
    };
    const { fleeting = false, resume, continueLatest = false } = options;
    if (fleeting && resume === undefined && !continueLatest) this.#fleeting = new Set();
    this.#process = new CliProcess(options.env ?? {});
    this.#stall = new StallWatch(options.stallMs ?? STALL_MS, this.#onEvent);
    const servers = serversForFile(options);
    if (Object.keys(servers).length > 0) {
      this.#serverFile = writeServerFile(servers, options.privateDir);
    }
    const decide: Decide = (request) => options.decide(calls.withParent(request));
    try {
      this.#query = query({
        prompt: this.#input,
        options: {
          ...withHook(
            sdkOptions({ ...options, decide }, this.#serverFile?.path),
            options.subagentDetails ? details : undefined,
          ),
          env: this.#process.environment,
          spawnClaudeCodeProcess: (spawn) => this.#process.start(spawn),
        },
      });
    } catch (thrown) {
      this.#serverFile?.remove();
      throw thrown;
    }
    this.closed = this.#run(new Normaliser(this.#onEvent, startedIn(options)));
  }

  /** Whether it takes messages. */
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

  /** Hands a message to the CLI. Events report whether and when it is part of the conversation. */
  push(message: EngineMessage): void {
    if (!this.#input.push(toSdkMessage(message))) {
      throw errorOf("cli_exited", "The session is closed and takes no more messages.");
    }
  }

  /**
   * Stops the running turn. By default queued messages stay and run next, and their ids are returned; with
   * `dropQueued` each is reported as `cancelled`.
   */
  async interrupt({ dropQueued = false } = {}): Promise<{ stillQueued: string[] }> {
    const answer = await this.#control(
      this.#query.interrupt(...(dropQueued ? [{ cancelQueued: true }] : [])),
    );
    return { stillQueued: answer?.still_queued ?? [] };
  }

  /** Takes back a message that waits in the CLI's queue. Returns false when the CLI has begun with it. */
  async withdraw(messageId: string): Promise<boolean> {
    return this.#control(this.#untyped.cancelAsyncMessage(messageId));
  }

  /** Gives the conversation a title, also in the CLI's own file of it. */
  async rename(title: string): Promise<void> {
    await this.#control(this.#untyped.renameSession(title));
  }

  async setMode(mode: PermissionMode): Promise<void> {
    await this.#control(this.#query.setPermissionMode(mode));
  }

  async setModel(model: string): Promise<void> {
    await this.#control(this.#query.setModel(model));
  }

  /** Whether the session keeps this process alive, as it does from its start. */
  keepAlive(on: boolean): void {
    this.#process.keepAlive(on);
  }

  /**
   * The MCP servers as the CLI sees them now, each with its tools' own names. A starting CLI answers when it is up.
   */
  async mcpServers(withinMs = CONTROL_TIMEOUT_MS): Promise<McpServerReport[]> {
    const servers = await this.#control(this.#query.mcpServerStatus(), withinMs);
    return servers.map(({ name, status, error, tools = [] }) => ({
      name,
      status,
      tools: tools.map((tool) => tool.name),
      ...(error !== undefined && { error }),
    }));
  }

  /**
   * Puts these servers in the place of those that it was started with or was given here before. Servers of the settings
   * stay. Resolves when each has connected or failed.
   */
  async setMcpServers(
    servers: Record<string, McpServerConfig>,
    withinMs = START_TIMEOUT_MS,
  ): Promise<McpSetServersResult> {
    return this.#control(this.#query.setMcpServers(servers), withinMs);
  }

  /** Null leaves the choice to the model. */
  async setEffort(effort: Effort | null): Promise<void> {
    await this.#control(this.#query.applyFlagSettings({ effortLevel: effort }));
  }

  /** Asks about calls that these rules match, whatever else allows them, for as long as this CLI runs. */
  async askAbout(rules: readonly string[]): Promise<void> {
    for (const rule of rules) this.#askedAbout.add(rule);
    // Each call replaces the rules of the call before it; those that the CLI was started with stay.
    const permissions = { ask: [...this.#askedAbout] };
    await this.#control(this.#query.applyFlagSettings({ permissions }));
  }

  /** Ends a task of the CLI. It does not say whether there is such a task: events report its end. */
  async stopTask(taskId: string): Promise<void> {
    await this.#control(this.#query.stopTask(taskId));
  }

  async slashCommands(): Promise<SlashCommand[]> {
    const commands = await this.#control(this.#query.supportedCommands());
    return commands.map(({ name, description, argumentHint, aliases }) => ({
      name,
      ...(description && { description }),
      ...(argumentHint && { argument_hint: argumentHint }),
      ...(aliases?.length && { aliases }),
    }));
  }

  /** The models that the CLI offers its user. */
  async models(): Promise<ModelChoice[]> {
    return (await this.#control(this.#query.supportedModels())).map(modelChoice);
  }

  /** The output of a running command; undefined where this CLI does not provide it. */
  openTaskOutput(sessionId: string, taskId: string): TaskOutput | undefined {
    return TaskOutput.open(this.#process.environment, sessionId, taskId);
  }

  /** How full the conversation is, without a request to the model. */
  async contextUsage(): Promise<ContextUsage> {
    const usage = await this.#control(this.#query.getContextUsage({ detail: "summary" }));
    return { tokens: countOf(usage.totalTokens), window: countOf(usage.maxTokens) };
  }

  /**
   * Ends the turn, the CLI and everything that it started, in bounded time. The CLI reports waiting messages as
   * `cancelled`; a later CLI may be given them again. Idempotent.
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

  /** Kills a CLI that does not obey. What it had not written down is lost. */
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

  get #untyped(): UntypedQuery {
    return this.#query as unknown as UntypedQuery;
  }

  /** Otherwise the CLI would use its grace period to finish the turn and begin the next. */
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

  /** The SDK's stream has ended; ends the remaining processes. */
  async #end(failure: unknown): Promise<{ error?: WireError }> {
    try {
      await this.#process.stop();
    } catch (thrown) {
      return { error: toWire(thrown) };
    } finally {
      this.#process.tidyUp(this.#fleeting ?? []);
      this.#serverFile?.remove();
    }
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
    try {
      return await withDeadline(answer, withinMs, () =>
        errorOf("timeout", `Claude Code did not answer within ${withinMs / 1000} s.`),
      );
    } catch (thrown) {
      throw thrown instanceof ClaudeCodeError ? thrown : this.#explain(thrown);
    }
  }

  /** The CLI refuses what it cannot do, such as a mode that it was not started for, and goes on. */
  #explain(thrown: unknown): ClaudeCodeError {
    if (this.#process.ended) return this.#process.explainEnd(thrown);
    if (!this.open) return errorOf("cli_exited", "The session is closed.", { cause: thrown });
    const words = thrown instanceof Error ? thrown.message : String(thrown);
    return errorOf("execution_failed", `Claude Code refused: ${words}`, { cause: thrown });
  }
}

/** For a fork without an id, and for the latest session, only the CLI knows the id. */
const startedIn = ({ sessionId, resume, fork = false }: EngineOptions): string | undefined =>
  sessionId ?? (fork ? undefined : resume);

const withHook = (options: Options, details: SubagentFileChanges | undefined): Options =>
  details ? { ...options, hooks: { ...options.hooks, PostToolUse: [details.hook] } } : options;
