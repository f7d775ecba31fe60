import * as z from "zod";
import { StoredTextSchema } from "../blob.ts";
import { StoredContentBlockSchema } from "../content.ts";
import { RequestIdSchema } from "../id-schemas.ts";
import { JsonObjectSchema } from "../json-schemas.ts";
import { FileChangeSchema } from "./file-change.ts";
import { agentEvent, deltaEvent } from "./event-base.ts";

const request_id = RequestIdSchema;
const tool = z.string().min(1).describe("Name of the tool, as in Bash or mcp__server__tool.");

export const ToolInputSchema = JsonObjectSchema.describe(
  "What the tool is called with. A large string in it stands as {blob, bytes, preview}.",
);

export const toolEvents = [
  deltaEvent("tool_input_delta", "The model is writing a tool's input; tool_use follows.", {
    request_id,
    tool,
    partial_json: z.string().describe("The next piece of the input's JSON."),
  }),
  agentEvent("tool_use", "The model calls a tool.", { request_id, tool, input: ToolInputSchema }),
  agentEvent("tool_progress", "A tool is still running.", {
    request_id,
    elapsed_ms: z.number().min(0).optional(),
    progress: z.number().optional().describe("As an MCP tool reports it."),
    total: z.number().optional(),
    message: z.string().optional().describe("Where the tool or the sub-agent is, in a few words."),
    last_tool: z.string().optional().describe("Of a sub-agent: the tool that it used last."),
    total_tokens: z.int().min(0).optional().describe("Of a sub-agent, so far."),
    tool_uses: z.int().min(0).optional().describe("Of a sub-agent, so far."),
  }),
  deltaEvent("tool_output_delta", "Live output of a running command; tool_result is what counts.", {
    request_id,
    text: z.string(),
    skipped_bytes: z
      .int()
      .min(1)
      .optional()
      .describe("How much was printed before this text and is left out."),
    ended: z
      .literal(true)
      .optional()
      .describe("The command ran on in the background after its tool_result, and is over now."),
  }),
  agentEvent("tool_result", "A tool has ended.", {
    request_id,
    output: StoredTextSchema,
    is_error: z.boolean().describe("The tool failed or was not allowed to run."),
    content: z
      .array(StoredContentBlockSchema)
      .optional()
      .describe("The whole result, when it holds more than text."),
    changes: z
      .array(FileChangeSchema)
      .optional()
      .describe("What the call has changed in files, as Claude Code reports it."),
    meta: JsonObjectSchema.optional().describe(
      "What an MCP server says about its result besides the content (MCP's _meta). The model does not see it.",
    ),
  }),
  agentEvent(
    "subagent_started",
    "A sub-agent begins. Its events carry this request_id as parent.",
    {
      request_id,
      agent: z.string().optional().describe("Kind of the sub-agent."),
      description: z.string().optional(),
      background: z.boolean().describe("The turn does not wait for it."),
    },
  ),
  agentEvent("subagent_ended", "A sub-agent has ended.", {
    request_id,
    outcome: z.enum(["completed", "failed", "stopped"]),
    summary: z.string().optional(),
    total_tokens: z.int().min(0).optional(),
    tool_uses: z.int().min(0).optional(),
    duration_ms: z.number().min(0).optional(),
  }),
] as const;
