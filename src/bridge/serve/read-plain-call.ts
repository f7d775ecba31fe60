import { isJsonObject, isRecord } from "../../wire/json.ts";
import type { JsonRpcId } from "../../wire/mcp.ts";

/** A `tools/call` that uses only fields of every version of MCP. */
export interface PlainCall {
  readonly id: JsonRpcId;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly meta: Record<string, unknown>;
}

/** A version of MCP adds to single requests in `_meta`, under this prefix. */
const PROTOCOL_PREFIX = "io.modelcontextprotocol/";

/** Undefined for everything else, valid or not: the library handles that. */
export function readPlainCall(message: unknown): PlainCall | undefined {
  if (!isRecord(message) || message["method"] !== "tools/call") return undefined;
  const { jsonrpc, id, params } = message;
  if (jsonrpc !== "2.0" || !isId(id) || countFields(message) > 4) return undefined;
  if (!isJsonObject(params)) return undefined;
  const { name, arguments: args = {}, _meta: meta = {} } = params;
  if (typeof name !== "string" || !isRecord(args) || !isPlainMeta(meta)) return undefined;
  const known = 1 + Number("arguments" in params) + Number("_meta" in params);
  return countFields(params) === known ? { id, name, args, meta } : undefined;
}

const isId = (value: unknown): value is JsonRpcId =>
  typeof value === "string" || Number.isSafeInteger(value);

function isPlainMeta(meta: unknown): meta is Record<string, unknown> {
  if (!isRecord(meta)) return false;
  const { progressToken } = meta;
  if (progressToken !== undefined && !isId(progressToken)) return false;
  return Object.keys(meta).every((key) => !key.startsWith(PROTOCOL_PREFIX));
}

const countFields = (value: object): number => Object.keys(value).length;
