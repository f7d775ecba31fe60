import type { Logger } from "../../log/logger.ts";
import type { ToolResult } from "../tool/content.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import { stoppedBefore, stoppedMeanwhile } from "./failure.ts";
import type { CallRequest, RunningCall } from "./perform.ts";
import { performCall } from "./perform.ts";

export type CallOutcome = { ok: true; result: ToolResult } | { ok: false; error: unknown };

/** How often whoever waits for a silent call hears that it is alive. */
const BEAT_MS = 10_000;

/** Runs the calls of one host, and can end all that are open. */
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

  /** Never rejects. What went wrong is logged with its stack, which goes nowhere else. */
  async run(tools: ToolSet, request: CallRequest): Promise<CallOutcome> {
    // Only for calls that go wrong: to make a logger takes longer than many a call.
    const log = (): Logger =>
      this.#log.child({ tool: request.name, tool_use_id: request.toolUseId });
    try {
      if (this.#stopped) throw stoppedBefore(this.#host);
      const call = performCall(tools.get(request.name), request, log);
      return { ok: true, result: await this.#resultOf(call) };
    } catch (error) {
      log().warn({ err: error }, "A tool call failed.");
      return { ok: false, error };
    }
  }

  /** Ends every open call, and runs no other. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#beating);
    for (const { end } of this.#open) end(stoppedMeanwhile(this.#host));
  }

  #beat(): void {
    for (const { beat } of this.#open) beat();
  }

  async #resultOf(call: RunningCall): Promise<ToolResult> {
    this.#open.add(call);
    this.#beating ??= setInterval(() => this.#beat(), BEAT_MS).unref();
    try {
      return await call.result;
    } finally {
      this.#open.delete(call);
    }
  }
}
