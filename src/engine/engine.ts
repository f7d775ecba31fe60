import type { Query, SDKMessage, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { toWire } from "../wire/error-wire.ts";
import { ClaudeCodeError, errorOf } from "../wire/errors.ts";
import { CliProcess } from "./cli-process.ts";
import type { EngineEvent } from "./events.ts";
import { InputQueue } from "./input-queue.ts";
import { requireDirectory } from "./locate-cli.ts";
import type { EngineMessage } from "./message.ts";
import { toSdkMessage } from "./message.ts";
import { Normaliser } from "./normalise/normaliser.ts";
import type { EngineOptions, PermissionMode } from "./options.ts";
import { sdkOptions } from "./options.ts";
import { StallWatch } from "./stall-watch.ts";

/** A request to the CLI that is not answered in this time is given up. */
const CONTROL_TIMEOUT_MS = 10_000;
/** How long a running turn may take to end when the session is closed. */
const INTERRUPT_ON_CLOSE_MS = 2_000;
const STALL_MS = 60_000;

export interface StartOptions extends EngineOptions {
  /** Called for each event, in order, from within the loop that reads the CLI; must not throw. */
  onEvent: (event: EngineEvent) => void;
  /** Silence of the model in the middle of an answer that is worth telling. */
  stallMs?: number;
}

/** One Claude Code process with one conversation. */
export class Engine {
  readonly #input = new InputQueue<SDKUserMessage>();
  readonly #process: CliProcess;
  readonly #query: Query;
  readonly #onEvent: (event: EngineEvent) => void;
  readonly #stall: StallWatch;
  #turnRuns = false;
  #closing = false;
  /** Resolves when the CLI is gone and nothing that it started runs any more. */
  readonly closed: Promise<void>;

  /** Throws `cwd_not_found` or `cli_not_found` at once; what goes wrong later is told by events. */
  constructor(options: StartOptions) {
    requireDirectory(options.cwd);
    this.#onEvent = options.onEvent;
    this.#process = new CliProcess(options.env ?? {});
    this.#stall = new StallWatch(options.stallMs ?? STALL_MS, (silent_ms) =>
      this.#tell({ type: "stalled", silent_ms }),
    );
    this.#query = query({
      prompt: this.#input,
      options: {
        ...sdkOptions(options),
        env: this.#process.environment,
        spawnClaudeCodeProcess: (spawn) => this.#process.start(spawn),
      },
    });
    this.closed = this.#run();
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
    await this.#control(this.#query.initializationResult());
  }

  /** Hands a message to the CLI. Whether and when it is part of the conversation is told by events. */
  push(message: EngineMessage): void {
    if (!this.#input.push(toSdkMessage(message))) {
      throw errorOf("cli_exited", "The session is closed and takes no more messages.");
    }
  }

  /** Stops the running turn. Queued messages stay and run next; their ids are given back. */
  async interrupt(): Promise<{ stillQueued: string[] }> {
    const answer = await this.#control(this.#query.interrupt());
    return { stillQueued: answer?.still_queued ?? [] };
  }

  async setMode(mode: PermissionMode): Promise<void> {
    await this.#control(this.#query.setPermissionMode(mode));
  }

  async setModel(model: string): Promise<void> {
    await this.#control(this.#query.setModel(model));
  }

  /** Ends the turn, the CLI and everything that it started, in bounded time. Idempotent. */
  async close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      if (this.#turnRuns) await this.#interruptBriefly();
      this.#input.close();
      this.#query.close();
      await this.#process.stop();
    }
    await this.closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Without it the CLI would use its two seconds of grace to finish the turn that nobody wants. */
  async #interruptBriefly(): Promise<void> {
    const timeout = AbortSignal.timeout(INTERRUPT_ON_CLOSE_MS);
    const gaveUp = new Promise<void>((resolve) =>
      timeout.addEventListener("abort", () => resolve()),
    );
    const interrupted = this.#query.interrupt().then(
      () => undefined,
      () => undefined,
    );
    await Promise.race([interrupted, gaveUp]);
  }

  async #run(): Promise<void> {
    const normaliser = new Normaliser((event) => this.#tell(event));
    let failure: unknown;
    try {
      for await (const message of this.#query) {
        this.#stall.take(message);
        this.#follow(message);
        normaliser.take(message);
      }
    } catch (thrown) {
      failure = thrown;
    }
    this.#stall.stop();
    this.#input.close();
    await this.#process.gone();
    if (this.#closing) this.#tell({ type: "closed" });
    else this.#tell({ type: "closed", error: toWire(this.#process.explainEnd(failure)) });
  }

  #follow(message: SDKMessage): void {
    if (message.type === "system" && message.subtype === "init") this.#turnRuns = true;
    if (message.type === "result") this.#turnRuns = false;
  }

  #tell(event: EngineEvent): void {
    this.#onEvent(event);
  }

  async #control<Answer>(answer: Promise<Answer>): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const seconds = CONTROL_TIMEOUT_MS / 1000;
        reject(errorOf("timeout", `Claude Code did not answer within ${seconds} s.`));
      }, CONTROL_TIMEOUT_MS);
    });
    try {
      return await Promise.race([answer, late]);
    } catch (thrown) {
      if (thrown instanceof ClaudeCodeError) throw thrown;
      throw this.#process.explainEnd(thrown);
    } finally {
      clearTimeout(timer);
    }
  }
}
