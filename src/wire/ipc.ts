import * as z from "zod";
import type { Checked } from "./check-message.ts";
import { check, refuse } from "./check-message.ts";
import { isRecord } from "./json.ts";
import { JsonObjectSchema } from "./json-schemas.ts";

// The IPC contract between a bridge process and its parent: one request, then one answer, in frames.

const ToolNameSchema = z.string().min(1).describe("Name of a registered tool.");

export const CallToolParamsSchema = z.object({
  name: ToolNameSchema,
  arguments: JsonObjectSchema.default({}).describe(
    "Must conform to the tool's input schema. Empty when absent.",
  ),
});
export type CallToolParams = z.infer<typeof CallToolParamsSchema>;

export const IPCRequestSchema = z
  .object({ method: z.literal("call_tool"), params: CallToolParamsSchema })
  .meta({ id: "IPCRequest", description: "Bridge to parent: run a tool." });
export type IPCRequest = z.infer<typeof IPCRequestSchema>;

export const ToolResultContentSchema = z.object({ type: z.literal("text"), text: z.string() });
export type ToolResultContent = z.infer<typeof ToolResultContentSchema>;

export const ToolResultSchema = z.object({
  content: z.array(ToolResultContentSchema).min(1),
  isError: z.boolean().optional().describe("The tool ran and failed. False when absent."),
});
export type ToolResult = z.infer<typeof ToolResultSchema>;

export const IPCErrorPayloadSchema = z.object({
  message: z.string().describe("What happened and what to do about it."),
  type: z.string().describe("Class name of the error."),
});
export type IPCErrorPayload = z.infer<typeof IPCErrorPayloadSchema>;

export const IPCResponseSchema = z
  .object({ result: ToolResultSchema, error: z.never().optional() })
  .meta({ id: "IPCResponse", description: "Parent to bridge: the tool has run." });
export type IPCResponse = z.infer<typeof IPCResponseSchema>;

export const IPCErrorResponseSchema = z
  .object({ error: IPCErrorPayloadSchema, result: z.never().optional() })
  .meta({ id: "IPCErrorResponse", description: "Parent to bridge: the tool could not be run." });
export type IPCErrorResponse = z.infer<typeof IPCErrorResponseSchema>;

export const IPCMessageSchema = z.union([
  IPCRequestSchema,
  IPCResponseSchema,
  IPCErrorResponseSchema,
]);
export type IPCMessage = z.infer<typeof IPCMessageSchema>;

/** An unknown method is `method_not_found`, a request of the wrong form `invalid_request` or `invalid_params`. */
export function parseIpcRequest(value: unknown): Checked<IPCRequest> {
  if (!isRecord(value)) return refuse("invalid_request", "A request is a JSON object.");
  const { method } = value;
  if (typeof method !== "string") {
    return refuse("invalid_request", "A request names its method in the string field method.");
  }
  if (method !== "call_tool") {
    return refuse("method_not_found", "The only method of this protocol is call_tool.", {
      data: { known_types: ["call_tool"] },
    });
  }
  return check(IPCRequestSchema, value, method);
}

export function parseIpcResponse(value: unknown): Checked<IPCResponse | IPCErrorResponse> {
  if (!isRecord(value)) return refuse("invalid_request", "A response is a JSON object.");
  const failed = value["error"] !== undefined;
  if (failed === (value["result"] !== undefined)) {
    const has = failed ? "both" : "neither";
    return refuse(
      "invalid_request",
      `A response holds either result or error; this one has ${has}.`,
    );
  }
  return check(failed ? IPCErrorResponseSchema : IPCResponseSchema, value, "response");
}
