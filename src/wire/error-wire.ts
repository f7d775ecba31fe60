import { z } from "zod";
import type { ErrorCode } from "./error-table.ts";
import { errorCodes, errorTable, isErrorCode } from "./error-table.ts";
import { ClaudeCodeError, errorOf } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import { JsonObjectSchema } from "./json.ts";

/** An error as every protocol of ours carries it; `error` events and JSON-RPC `data` have this shape. */
export const WireErrorSchema = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  retryable: z.boolean(),
  hint: z.string(),
  data: JsonObjectSchema.optional(),
});
export type WireError = z.infer<typeof WireErrorSchema>;

/** Whatever was thrown, in a form that may leave the process: no stack, no cause. */
export function toWire(thrown: unknown): WireError {
  if (thrown instanceof ClaudeCodeError) {
    const { code, message, retryable, hint, data } = thrown;
    return { code, message, retryable, hint, ...(data && { data }) };
  }
  const { retryable, hint } = errorTable.internal;
  return { code: "internal", message: messageOf(thrown), retryable, hint };
}

/** The way back. A code that this version does not know becomes `internal` and keeps its text. */
export function fromWire(wire: {
  code: string;
  message: string;
  hint?: string;
  data?: JsonObject;
}): ClaudeCodeError {
  const code: ErrorCode = isErrorCode(wire.code) ? wire.code : "internal";
  return errorOf(code, wire.message, {
    ...(wire.data && { data: wire.data }),
    ...(wire.hint !== undefined && { hint: wire.hint }),
  });
}

export interface JsonRpcErrorObject {
  code: number;
  message: string;
  data: JsonObject;
}

/** JSON-RPC 2.0's form. Our own code stands in `data`, because several codes share a number. */
export function toJsonRpcError(thrown: unknown): JsonRpcErrorObject {
  const { code, message, retryable, hint, data } = toWire(thrown);
  return { code: errorTable[code].rpc, message, data: { ...data, code, retryable, hint } };
}

/** Seed 002's form: `type` is the class name of what was thrown, also when the class is not ours. */
export function toIpcError(thrown: unknown): { message: string; type: string } {
  const type = thrown instanceof Error ? thrown.name : "ClaudeCodeError";
  return { message: messageOf(thrown), type };
}

function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text === "" ? "The operation failed without a message." : text;
}
