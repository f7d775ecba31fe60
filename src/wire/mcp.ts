import * as z from "zod";
import type { Checked } from "./check-message.ts";
import { check, refuse } from "./check-message.ts";
import { isRecord } from "./json.ts";
import { JsonObjectSchema, JsonValueSchema } from "./json-schemas.ts";

// Own mode: frames carry MCP's JSON-RPC 2.0 messages. Only the envelope is checked here; the handler of a method
// checks params and result.

const jsonrpc = z.literal("2.0");

/** MCP allows no null here: an id names exactly one open request. */
export const JsonRpcIdSchema = z.union([z.string(), z.number()], {
  error: "expected string or number",
});
export type JsonRpcId = z.infer<typeof JsonRpcIdSchema>;

const beside = (field: string) => z.never(`not allowed beside ${field}`).optional();

const method = z.string().min(1);
const params = JsonObjectSchema.optional();

export const JsonRpcRequestSchema = z
  .object({ jsonrpc, id: JsonRpcIdSchema, method, params })
  .meta({ id: "JsonRpcRequest" });
export type JsonRpcRequest = z.infer<typeof JsonRpcRequestSchema>;

export const JsonRpcNotificationSchema = z
  .object({ jsonrpc, method, params, id: z.never().optional() })
  .meta({ id: "JsonRpcNotification", description: "A request without an answer." });
export type JsonRpcNotification = z.infer<typeof JsonRpcNotificationSchema>;

export const JsonRpcResponseSchema = z
  .object({ jsonrpc, id: JsonRpcIdSchema, result: JsonValueSchema, error: beside("result") })
  .meta({ id: "JsonRpcResponse" });
export type JsonRpcResponse = z.infer<typeof JsonRpcResponseSchema>;

export const JsonRpcErrorSchema = z
  .object({
    jsonrpc,
    id: JsonRpcIdSchema.nullable()
      .optional()
      .describe("Null or absent when the request was too broken to have one."),
    error: z.object({ code: z.int(), message: z.string(), data: JsonValueSchema.optional() }),
    result: beside("error"),
  })
  .meta({ id: "JsonRpcError" });
export type JsonRpcError = z.infer<typeof JsonRpcErrorSchema>;

export const JsonRpcMessageSchema = z.union([
  JsonRpcRequestSchema,
  JsonRpcNotificationSchema,
  JsonRpcResponseSchema,
  JsonRpcErrorSchema,
]);
export type JsonRpcMessage = z.infer<typeof JsonRpcMessageSchema>;

/** Distinguishes the four kinds by their fields; afterwards `"method" in message` does so. */
export function parseJsonRpcMessage(value: unknown): Checked<JsonRpcMessage> {
  if (Array.isArray(value))
    return refuse("invalid_request", "MCP has no batches: send one message.");
  if (!isRecord(value)) return refuse("invalid_request", "A message is a JSON object.");
  if ("method" in value) {
    return "id" in value
      ? check(JsonRpcRequestSchema, value, "request", "invalid_request")
      : check(JsonRpcNotificationSchema, value, "notification", "invalid_request");
  }
  if ("error" in value)
    return check(JsonRpcErrorSchema, value, "error response", "invalid_request");
  if ("result" in value) return check(JsonRpcResponseSchema, value, "response", "invalid_request");
  return refuse("invalid_request", "A message has one of the fields method, result and error.");
}
