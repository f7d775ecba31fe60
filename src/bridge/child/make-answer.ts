import { errorTable } from "../../wire/error-table.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";

/** The part of a JSON-RPC response beside its id. */
export type ToolCallAnswer =
  | { result: object }
  | { error: { code: number; message: string; data: object } };

/** For a message that breaks the protocol. */
export function refusal({ code, message, hint, retryable, data }: ClaudeCodeError): ToolCallAnswer {
  const { rpc } = errorTable[code];
  return { error: { code: rpc, message, data: { ...data, code, retryable, hint } } };
}

/** For a call that failed: a result, so that the model reads it and can act on it. */
export function failedCall({ name, message, hint }: ClaudeCodeError): ToolCallAnswer {
  return errorResult(`${name}: ${message} ${hint}`);
}

export function errorResult(text: string): ToolCallAnswer {
  return { result: { content: [{ type: "text", text }], isError: true } };
}
