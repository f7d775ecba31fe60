import { RequestError } from "@agentclientprotocol/sdk";
import type { ErrorCode } from "../wire/error-table.ts";
import { toJsonRpcError } from "../wire/error-wire.ts";

/** Numbers that ACP itself gives a meaning. The others are those of our table, which ACP leaves to us. */
const ACP_NUMBERS: Partial<Record<ErrorCode, number>> = {
  authentication_failed: -32000,
  no_credentials: -32000,
  session_not_found: -32002,
};

/** Numbers of our table to which ACP gives another meaning. */
const TAKEN = new Set([-32000, -32002]);
const INTERNAL = -32603;

/** Any failure in the form of an answer; `data.code` is our own code. */
export function toRequestError(thrown: unknown): RequestError {
  if (thrown instanceof RequestError) return thrown;
  const { code: rpc, message, data } = toJsonRpcError(thrown);
  const own = ACP_NUMBERS[data["code"] as ErrorCode];
  const number = own ?? (TAKEN.has(rpc) ? INTERNAL : rpc);
  const hint = data["hint"];
  // Editors show the message alone.
  const sentence = message.replace(/[^.!?]$/, "$&.");
  const text = typeof hint === "string" ? `${sentence} ${hint}` : message;
  return new RequestError(number, text, data);
}
