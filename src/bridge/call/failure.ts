import { toIpcError } from "../../wire/error-wire.ts";
import { ClaudeCodeError, errorOf, IPCMessageSizeError } from "../../wire/errors.ts";
import type { IPCErrorPayload } from "../../wire/ipc.ts";
import type { ToolResult } from "../tool/content.ts";
import type { Breach } from "../tool/judge.ts";
import { tellBreaches } from "../tool/judge.ts";

/** The IPC contract's form: class and message, ours with what to do next. Never a stack. */
export function failurePayload(error: unknown): IPCErrorPayload {
  const { message, type } = toIpcError(error);
  return { type, message: error instanceof ClaudeCodeError ? `${message} ${error.hint}` : message };
}

/** MCP's form: a result, because the model reads results and never protocol errors. */
export function failureResult(error: unknown): ToolResult {
  const { message, type } = failurePayload(error);
  return { content: [{ type: "text", text: `${type}: ${message}` }], isError: true };
}

export function badArguments(tool: string, breaches: readonly Breach[]): ClaudeCodeError {
  const told = tellBreaches(breaches);
  return errorOf("invalid_params", `The arguments do not fit the schema of ${tool}: ${told}.`, {
    data: { issues: breaches.slice(0, 10).map(({ path, rule }) => ({ path, rule })) },
    hint: "The tool did not run. Correct the arguments and call it again.",
  });
}

export function badResult(why: string, cause?: unknown): ClaudeCodeError {
  return errorOf("tool_failed", `The tool ran, but ${why}.`, {
    cause,
    hint: "This is a fault of the tool itself: go on without its result.",
  });
}

/** @param cause what the codec said about the finished message. */
export function unsendableResult(cause: unknown): ClaudeCodeError {
  if (!(cause instanceof IPCMessageSizeError)) {
    return badResult(`its result cannot be sent (${toIpcError(cause).message})`, cause);
  }
  const { message, data } = cause;
  return errorOf("message_too_large", `The tool ran, but its result is too large: ${message}`, {
    ...(data && { data }),
    cause,
    hint: "Ask the tool for less: a part, a summary, or a path to a file.",
  });
}

export function timedOut(tool: string, timeoutMs: number): ClaudeCodeError {
  const seconds = timeoutMs / 1000;
  return errorOf("timeout", `The tool ${tool} did not finish within ${seconds} s.`, {
    data: { timeout_seconds: seconds },
    hint: "It was told to stop and may have done part of its work. Look at its effect before you call it again.",
  });
}

export function cancelled(tool: string, reason: unknown): ClaudeCodeError {
  const why = toIpcError(reason ?? "no reason was given").message;
  return errorOf("aborted", `The call of ${tool} was cancelled: ${why}.`, {
    cause: reason,
    hint: "It may have done part of its work. Look at its effect before you call it again.",
  });
}

export function stoppedMeanwhile(host: string): ClaudeCodeError {
  return errorOf("connection_lost", `The tool host ${host} was stopped.`, {
    hint: "The call may have run. Look at its effect, and go on without this tool until its program runs again.",
  });
}

export function stoppedBefore(host: string): ClaudeCodeError {
  return errorOf("connection_failed", `The tool host ${host} is stopped.`, {
    hint: "The call did not run. Go on without this tool until its program runs again.",
  });
}
