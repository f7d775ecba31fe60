import type { Logger } from "../../log/logger.ts";
import type { McpToolResult } from "../tool/make-mcp-content.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import { readableError, stoppedBefore, stoppedMeanwhile } from "./describe-failure.ts";
import type { ToolCallRequest, RunningCall } from "./perform-call.ts";
import { performCall } from "./perform-call.ts";

export type CallOutcome = { ok: true; result: McpToolResult } | { ok: false; error: unknown };

/** How often the caller of a silent call gets a sign of life. */
const BEAT_MS = 10_000;

/** Runs the calls of one host, and can end all open ones. */
export class Calls {
  readonly #host: string;
  readonly #log: Logger;
  readonly #open = new Set<RunningCall>();
  #stopped = false;
  #beating: NodeJS.Timeout | undefined;

  constructor(host: string, log: Logger) {
    this.#host = host;
    this.#log = log;
  }

  /** Never rejects. Logs a failure with its stack, which goes nowhere else. */
  async run(tools: ToolSet, request: ToolCallRequest): Promise<CallOutcome> {
    // Only for calls that fail: creating a logger takes longer than many a call.
    const log = (): Logger =>
      this.#log.child({ tool: request.name, tool_use_id: request.toolUseId });
    try {
      if (this.#stopped) throw stoppedBefore(this.#host);
      const call = performCall(tools.get(request.name), request, log);
      return { ok: true, result: await this.#resultOf(call) };
    } catch (thrown) {
      const error = readableError(thrown);
      log().warn({ err: error }, "A tool call failed.");
      return { ok: false, error };
    }
  }

  /** Ends every open call, and runs no further one. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#beating);
    for (const { end } of this.#open) end(stoppedMeanwhile(this.#host));
  }

  #beat(): void {
    for (const { beat } of this.#open) beat();
  }

  async #resultOf(call: RunningCall): Promise<McpToolResult> {
    this.#open.add(call);
    this.#beating ??= setInterval(() => this.#beat(), BEAT_MS).unref();
    try {
      return await call.result;
    } finally {
      this.#open.delete(call);
    }
  }
}
