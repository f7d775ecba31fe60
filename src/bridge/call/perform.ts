import type { Logger } from "../../log/logger.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { ToolResult } from "../tool/content.ts";
import type { Progress, Tool } from "../tool/define-tool.ts";
import { watchAbandoned } from "./abandoned.ts";
import { badArguments, cancelled, timedOut } from "./failure.ts";
import { Pulse } from "./pulse.ts";
import { toResult } from "./result.ts";

export interface CallRequest {
  readonly name: string;
  readonly args: unknown;
  readonly toolUseId?: string | undefined;
  /** Aborts when nobody waits for the result any more. */
  readonly signal?: AbortSignal;
  readonly progress?: (progress: Progress) => void;
}

export interface RunningCall {
  /** Whatever the handler does, this settles with the first of its result, its time-out and its end. */
  readonly result: Promise<ToolResult>;
  /** Settles the result with the reason, and tells the handler. */
  readonly end: (reason: ClaudeCodeError) => void;
  /** Shows whoever waits that the call is alive. */
  readonly beat: () => void;
}

/** Judges the arguments, runs the handler, judges what it gives back. */
export function performCall(tool: Tool, request: CallRequest, log: () => Logger): RunningCall {
  const abort = new AbortController();
  const forced = Promise.withResolvers<never>();
  const pulse = new Pulse(request.progress);
  const running = run(tool, request, { signal: abort.signal, pulse });
  const end = (reason: ClaudeCodeError): void => {
    if (abort.signal.aborted) return;
    // In this order: a handler that throws because of its signal must not be faster than the reason.
    forced.reject(reason);
    abort.abort(reason);
    watchAbandoned(running, log());
  };
  const release = endInTime(tool, request, end);
  const result = Promise.race([running, forced.promise]).finally(release);
  return { result, end, beat: () => pulse.beat() };
}

async function run(
  tool: Tool,
  request: CallRequest,
  { signal, pulse }: { signal: AbortSignal; pulse: Pulse },
): Promise<ToolResult> {
  const args = await readArguments(tool, request.args);
  signal.throwIfAborted();
  let open = true;
  const progress = (update: Progress): void => {
    if (open && !signal.aborted) pulse.tell(update);
  };
  try {
    const returned = await tool.handler(args, { signal, progress, toolUseId: request.toolUseId });
    return await toResult(tool, returned);
  } finally {
    open = false;
  }
}

async function readArguments(tool: Tool, args: unknown): Promise<unknown> {
  const judgement = await tool.input.judge(args);
  if (judgement.ok) return judgement.value;
  throw badArguments(tool.name, judgement.breaches);
}

/** Ends the call when its time is over or its caller has left. Gives back how to let go of both. */
function endInTime(
  { name, timeoutMs }: Tool,
  { signal }: CallRequest,
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
