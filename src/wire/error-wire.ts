import type { WireError } from "./error-schema.ts";
import type { ErrorCode } from "./error-table.ts";
import { errorTable, isErrorCode } from "./error-table.ts";
import { ClaudeCodeError, errorOf } from "./errors.ts";
import type { JsonObject } from "./json.ts";

export type { WireError } from "./error-schema.ts";

/** Any thrown value, in a form that may leave the process: no stack, no cause. */
export function toWire(thrown: unknown): WireError {
  if (thrown instanceof ClaudeCodeError) {
    const { code, message, retryable, hint, data } = thrown;
    return { code, message, retryable, hint, ...(data && { data }) };
  }
  const code = isDiskFull(thrown) ? "disk_full" : "internal";
  const { retryable, hint } = errorTable[code];
  return { code, message: messageOf(thrown), retryable, hint };
}

/** The system's error for a disk, or a person's share of it, that has no room. */
const isDiskFull = (thrown: unknown): boolean =>
  thrown instanceof Error && "code" in thrown && diskFull.includes(thrown.code);

const diskFull: readonly unknown[] = ["ENOSPC", "EDQUOT"];

/** The inverse. An unknown code becomes `internal` and keeps its text. */
export function fromWire(wire: {
  code: string;
  message: string;
  hint?: string | undefined;
  data?: JsonObject | undefined;
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

/** JSON-RPC 2.0's form. Our own code is in `data`, because several codes share a number. */
export function toJsonRpcError(thrown: unknown): JsonRpcErrorObject {
  const { code, message, retryable, hint, data } = toWire(thrown);
  return { code: errorTable[code].rpc, message, data: { ...data, code, retryable, hint } };
}

/** The IPC contract's form: `type` is the class name of the thrown value, also when the class is not ours. */
export function toIpcError(thrown: unknown): { message: string; type: string } {
  return { message: messageOf(thrown), type: classNameOf(thrown) };
}

const NO_MESSAGE = "The operation failed without an error message.";

/** Any value can be thrown: strings, bare objects, errors whose fields were overwritten. */
function messageOf(thrown: unknown): string {
  try {
    const message: unknown =
      typeof thrown === "object" && thrown !== null ? Reflect.get(thrown, "message") : thrown;
    return String(message ?? thrown) || NO_MESSAGE;
  } catch {
    return NO_MESSAGE;
  }
}

function classNameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "ClaudeCodeError";
  // Most subclasses never set `name`, so they all inherit "Error".
  const name: unknown = thrown.name === "Error" ? thrown.constructor.name : thrown.name;
  return typeof name === "string" && name !== "" ? name : "Error";
}
