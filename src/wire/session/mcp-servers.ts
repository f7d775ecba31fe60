import * as z from "zod";
import { MAX_INLINE_BYTES } from "../blob.ts";
import { atMost, jsonWithin } from "../bounded-schemas.ts";

const MAX_SERVERS = 100;
const MAX_NAME_LENGTH = 200;

/** One server that Claude Code starts or calls itself, in the form of its `.mcp.json`. */
const McpServerConfigSchema = z.union(
  [
    z.looseObject({ type: z.literal("stdio").optional(), command: z.string().min(1) }),
    z.looseObject({ type: z.enum(["http", "sse"]), url: z.string().min(1) }),
  ],
  { error: "expected a server with command, or with type (http, sse) and url" },
);

export const McpServerConfigsSchema = jsonWithin(
  MAX_INLINE_BYTES,
  atMost(MAX_SERVERS, z.record(z.string().min(1).max(MAX_NAME_LENGTH), McpServerConfigSchema)),
).describe(
  `By their names, as in .mcp.json: {"name":{"command":"…","args":["…"],"env":{…}}} or {"name":{"type":"http","url":"…"}}. At most ${MAX_INLINE_BYTES} bytes of JSON.`,
);
export type McpServerConfigs = z.infer<typeof McpServerConfigsSchema>;

const McpServerOutcomeSchema = z
  .object({
    name: z.string().min(1),
    outcome: z
      .enum(["added", "kept", "removed", "failed"])
      .describe("Added also means replaced by another server of its name."),
    error: z.string().optional().describe("Why it failed."),
  })
  .meta({ id: "McpServerOutcome" });
export type McpServerOutcome = z.infer<typeof McpServerOutcomeSchema>;

export const McpServerOutcomesSchema = z
  .array(McpServerOutcomeSchema)
  .describe("Of set_mcp_servers: what became of each server that was set before or is set now.");
