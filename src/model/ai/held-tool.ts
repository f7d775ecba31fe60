import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { Tool } from "../../bridge/tool/define-tool.ts";
import { defineTool } from "../../bridge/tool/define-tool.ts";
import type { JsonSchema } from "../../bridge/tool/json-schema.ts";
import type { JsonObject } from "../../wire/json.ts";

/** A call that waits for its result. */
export interface HeldCall {
  id: string | undefined;
  input: JsonObject;
  schema: JsonObject;
  /** The model gave what the schema forbids. */
  isBroken: boolean;
}

/** Waits until somebody gives the result of a call. */
export type Hold = (call: HeldCall) => Promise<unknown>;

/** The most that Claude Code shows of a result. In model mode there is no tool to read the rest with. */
const RESULT_CHARS = 500_000;

/** The caller's own functions among the tools of a call; none when the call forbids tools. */
export function functionTools({
  tools = [],
  toolChoice,
}: LanguageModelV4CallOptions): LanguageModelV4FunctionTool[] {
  return toolChoice?.type === "none" ? [] : tools.filter((tool) => tool.type === "function");
}

/**
 * A tool whose calls are answered from outside. Its input is judged by whoever answers, who may repair it; the
 * hint lets Claude Code make all calls of an answer at once, which it would otherwise make one by one.
 *
 * @throws `tool_invalid` for a name or a schema that Claude Code cannot take.
 */
export function heldTool(tool: LanguageModelV4FunctionTool, hold: Hold): Tool {
  const { name, description = name, inputSchema } = tool;
  const defined: Tool = defineTool({
    name,
    description,
    input: inputSchema as JsonSchema,
    annotations: { readOnlyHint: true },
    meta: { "anthropic/maxResultSizeChars": RESULT_CHARS },
    handler: async (input, { toolUseId: id }): Promise<unknown> => {
      const { ok } = await defined.input.judge(input);
      return hold({ id, input, schema: defined.input.schema, isBroken: !ok });
    },
  });
  const { schema } = defined.input;
  return { ...defined, input: { schema, judge: (value) => ({ ok: true, value }) } };
}
