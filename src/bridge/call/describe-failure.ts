import { types } from "node:util";
import { toIpcError } from "../../wire/error-wire.ts";
import { ClaudeCodeError, errorOf, IPCMessageSizeError } from "../../wire/errors.ts";
import type { IPCErrorPayload } from "../../wire/ipc.ts";
import type { McpToolResult } from "../tool/make-mcp-content.ts";
import type { Violation } from "../tool/validator.ts";
import { describeViolations } from "../tool/validator.ts";

/** What a handler threw, if it can be read at all: a Proxy or a getter may throw on access. */
export function readableError(thrown: unknown): unknown {
  try {
    if (types.isProxy(thrown)) throw new TypeError("The thrown value is a Proxy.");
    failurePayload(thrown);
    // Reads all fields, as the logger will.
    if (typeof thrown === "object" && thrown !== null) void { ...thrown };
    return thrown;
  } catch (cause) {
    return errorOf("tool_failed", "The tool threw something that cannot be read.", { cause });
  }
}

/** The IPC contract's form: class and message, with our own errors' hints. Never a stack. */
export function failurePayload(error: unknown): IPCErrorPayload {
  const { message, type } = toIpcError(error);
  return { type, message: error instanceof ClaudeCodeError ? `${message} ${error.hint}` : message };
}

/** MCP's form: a result, because the model reads results and never protocol errors. */
export function failureResult(error: unknown): McpToolResult {
  const { message, type } = failurePayload(error);
  return { content: [{ type: "text", text: `${type}: ${message}` }], isError: true };
}

export function badArguments(tool: string, violations: readonly Violation[]): ClaudeCodeError {
  const described = describeViolations(violations);
  return errorOf(
    "invalid_params",
    `The arguments do not fit the schema of ${tool}: ${described}.`,
    {
      data: { issues: violations.slice(0, 10).map(({ path, rule }) => ({ path, rule })) },
      hint: "The tool did not run. Correct the arguments and call it again.",
    },
  );
}

export function badResult(why: string, cause?: unknown): ClaudeCodeError {
  return errorOf("tool_failed", `The tool ran, but ${why}.`, {
    cause,
    hint: "The tool itself is faulty. Continue without its result.",
  });
}

/** @param cause the codec's error about the finished message. */
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
    hint: "It was told to stop and may have done part of its work. Check its effect before you call it again.",
  });
}

export function cancelled(tool: string, reason: unknown): ClaudeCodeError {
  const why = toIpcError(reason ?? "no reason was given").message;
  return errorOf("aborted", `The call of ${tool} was cancelled: ${why}.`, {
    cause: reason,
    hint: "It may have done part of its work. Check its effect before you call it again.",
  });
}

export function stoppedMeanwhile(host: string): ClaudeCodeError {
  return errorOf("connection_lost", `The tool host ${host} was stopped.`, {
    hint: "The call may have run. Check its effect, and go on without this tool until its program runs again.",
  });
}

export function stoppedBefore(host: string): ClaudeCodeError {
  return errorOf("connection_failed", `The tool host ${host} is stopped.`, {
    hint: "The call did not run. Go on without this tool until its program runs again.",
  });
}
