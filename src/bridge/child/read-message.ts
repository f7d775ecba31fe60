import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { JsonRpcId } from "../../wire/mcp.ts";
import { parseJson } from "../../wire/json-payload.ts";
import { isObject } from "./is-json-object.ts";
import type { PeekedFields } from "./peek-fields.ts";
import { peek } from "./peek-fields.ts";

/** A JSON-RPC message: its bytes, and the few fields that the bridge needs. */
export type Message = RpcRequest | RpcNotification | RpcResponse;

export interface RpcRequest {
  readonly kind: "request";
  readonly bytes: Uint8Array;
  readonly id: JsonRpcId;
  readonly method: string;
  /** `params.name`: the tool, when the request calls one. */
  readonly name: string | undefined;
}

export interface RpcNotification {
  readonly kind: "notification";
  readonly bytes: Uint8Array;
  readonly method: string;
}

export interface RpcResponse {
  readonly kind: "response";
  readonly bytes: Uint8Array;
  /** Undefined in an error about a message that could not be read. */
  readonly id: JsonRpcId | undefined;
}

export type ReadMessage = { ok: true; message: Message } | { ok: false; error: ClaudeCodeError };

/** Up to this size a full parse is cheap and finds invalid JSON; above it, only some fields are read. */
export const PARSED_BYTES = 4096;

/** `parse_error` when the bytes are not JSON, `invalid_request` when they are not a JSON-RPC 2.0 message. */
export function readMessage(bytes: Uint8Array): ReadMessage {
  const seen = bytes.length > PARSED_BYTES ? peek(bytes) : undefined;
  if (seen) return classify(bytes, seen);
  const parsed = parseJson(bytes);
  if (!parsed.ok) return parsed;
  const fields = fieldsOf(parsed.value);
  return fields
    ? classify(bytes, fields)
    : refuse("A message is one JSON object; MCP has no batches.");
}

/** The complete parameters, for the few messages that need them. Undefined where there are none. */
export function paramsOf({ bytes }: Message): Record<string, unknown> | undefined {
  const parsed = parseJson(bytes);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const { params } = parsed.value;
  return isObject(params) ? params : undefined;
}

function fieldsOf(value: unknown): PeekedFields | undefined {
  if (!isObject(value)) return undefined;
  const { jsonrpc, id, method, params } = value;
  const name = isObject(params) ? params["name"] : undefined;
  return { jsonrpc, id, method, name, answers: "result" in value || "error" in value };
}

function classify(
  bytes: Uint8Array,
  { jsonrpc, id, method, name, answers }: PeekedFields,
): ReadMessage {
  if (jsonrpc !== "2.0") return refuse('A message has the field "jsonrpc": "2.0".');
  if (method === undefined) {
    if (!answers) return refuse("A message has one of the fields method, result and error.");
    if (id !== undefined && id !== null && !isId(id)) return refuse(ID_RULE);
    return { ok: true, message: { kind: "response", bytes, id: id ?? undefined } };
  }
  if (typeof method !== "string") return refuse("The field method is a string.");
  if (id === undefined) return { ok: true, message: { kind: "notification", bytes, method } };
  if (!isId(id)) return refuse(ID_RULE);
  const tool = typeof name === "string" ? name : undefined;
  return { ok: true, message: { kind: "request", bytes, id, method, name: tool } };
}

const ID_RULE = "The field id is a string or a whole number.";

/** A number that a parser would round could not be returned unchanged. */
const isId = (value: unknown): value is JsonRpcId =>
  typeof value === "string" || Number.isSafeInteger(value);

function refuse(message: string): ReadMessage {
  return { ok: false, error: errorOf("invalid_request", message) };
}
