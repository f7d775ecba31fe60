import { errorTable } from "../../wire/error-table.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";

/** What a response of JSON-RPC holds beside its id. */
export type Answer =
  | { result: object }
  | { error: { code: number; message: string; data: object } };

/** For a message that breaks the protocol. */
export function refusal({ code, message, hint, retryable, data }: ClaudeCodeError): Answer {
  const { rpc } = errorTable[code];
  return { error: { code: rpc, message, data: { ...data, code, retryable, hint } } };
}

/** For a call that failed: a result, so that the model reads it and can act on it. */
export function failedCall({ name, message, hint }: ClaudeCodeError): Answer {
  return errorResult(`${name}: ${message} ${hint}`);
}

export function errorResult(text: string): Answer {
  return { result: { content: [{ type: "text", text }], isError: true } };
}
