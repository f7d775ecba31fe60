import type { Logger } from "../../log/logger.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { McpToolResult } from "../tool/make-mcp-content.ts";
import type { Progress, Tool } from "../tool/define-tool.ts";
import { watchAbandonedHandler } from "./watch-abandoned-handler.ts";
import { badArguments, cancelled, timedOut } from "./describe-failure.ts";
import { ProgressReporter } from "./progress-reporter.ts";
import { toResult } from "./to-mcp-result.ts";

export interface ToolCallRequest {
  readonly name: string;
  readonly args: unknown;
  readonly toolUseId?: string | undefined;
  /** Aborts when the result is no longer needed. */
  readonly signal?: AbortSignal;
  readonly progress?: (progress: Progress) => void;
}

export interface RunningCall {
  /** Settles with the first of the handler's result, its time-out and `end`. */
  readonly result: Promise<McpToolResult>;
  /** Settles the result with the reason, and aborts the handler's signal. */
  readonly end: (reason: ClaudeCodeError) => void;
  /** Sends a sign of life to the caller. */
  readonly beat: () => void;
}

/** Validates the arguments, runs the handler, validates what it returns. */
export function performCall(tool: Tool, request: ToolCallRequest, log: () => Logger): RunningCall {
  const abort = new AbortController();
  const forced = Promise.withResolvers<never>();
  const reporter = new ProgressReporter(request.progress);
  const running = run(tool, request, { signal: abort.signal, reporter });
  const end = (reason: ClaudeCodeError): void => {
    if (abort.signal.aborted) return;
    // In this order: a handler that throws because of its signal must not be faster than the reason.
    forced.reject(reason);
    abort.abort(reason);
    watchAbandonedHandler(running, log());
  };
  const release = endInTime(tool, request, end);
  const result = Promise.race([running, forced.promise]).finally(release);
  return { result, end, beat: () => reporter.reportIfQuiet() };
}

async function run(
  tool: Tool,
  request: ToolCallRequest,
  { signal, reporter }: { signal: AbortSignal; reporter: ProgressReporter },
): Promise<McpToolResult> {
  const args = await readArguments(tool, request.args);
  signal.throwIfAborted();
  let open = true;
  const progress = (update: Progress): void => {
    if (open && !signal.aborted) reporter.report(update);
  };
  try {
    const returned = await tool.handler(args, { signal, progress, toolUseId: request.toolUseId });
    return await toResult(tool, returned);
  } finally {
    open = false;
  }
}

async function readArguments(tool: Tool, args: unknown): Promise<unknown> {
  const result = await tool.input.validate(args);
  if (result.ok) return result.value;
  throw badArguments(tool.name, result.violations);
}

/** Ends the call when its time is over or its caller has left. Returns a function that stops watching both. */
function endInTime(
  { name, timeoutMs }: Tool,
  { signal }: ToolCallRequest,
  end: (reason: ClaudeCodeError) => void,
): () => void {
  const cancel = (): void => end(cancelled(name, signal?.reason));
  const timer =
    timeoutMs !== undefined && setTimeout(() => end(timedOut(name, timeoutMs)), timeoutMs);
  signal?.addEventListener("abort", cancel);
  if (signal?.aborted) cancel();
  return () => {
    if (timer) clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  };
}
