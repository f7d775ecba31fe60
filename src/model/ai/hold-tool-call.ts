import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { JsonSchema, Tool } from "../../bridge/index.ts";
import { defineTool } from "../../bridge/index.ts";
import type { JsonObject } from "../../wire/json.ts";

/** A call that waits for its result. */
export interface HeldCall {
  id: string | undefined;
  input: JsonObject;
  schema: JsonObject;
  /** The input violates the schema. */
  isBroken: boolean;
}

/** Waits for the result of a call. */
export type HoldCall = (call: HeldCall) => Promise<unknown>;

/** The most that Claude Code shows of a result. In model mode no tool can read the rest. */
const RESULT_CHARS = 500_000;

/**
 * The caller's own functions among the tools of a call: none when the call forbids tools, and only the one that it
 * requires by name, because the AI SDK takes a call of any other for an error.
 */
export function functionTools({
  tools = [],
  toolChoice,
}: Pick<LanguageModelV4CallOptions, "tools" | "toolChoice">): LanguageModelV4FunctionTool[] {
  const functions = tools.filter((tool) => tool.type === "function");
  if (toolChoice?.type === "none") return [];
  if (toolChoice?.type !== "tool") return functions;
  return functions.filter(({ name }) => name === toolChoice.toolName);
}

/**
 * A tool whose calls are answered from outside. The caller validates the input and may repair it; the hint lets
 * Claude Code make all calls of an answer at once instead of one by one.
 *
 * @throws `tool_invalid` for a name or a schema that Claude Code does not accept.
 */
export function heldTool(tool: LanguageModelV4FunctionTool, hold: HoldCall): Tool {
  const { name, description = name, inputSchema } = tool;
  const defined: Tool = defineTool({
    name,
    description,
    input: inputSchema as JsonSchema,
    annotations: { readOnlyHint: true },
    meta: { "anthropic/maxResultSizeChars": RESULT_CHARS },
    handler: async (input, { toolUseId: id }): Promise<unknown> => {
      const { ok } = await defined.input.validate(input);
      return hold({ id, input, schema: defined.input.schema, isBroken: !ok });
    },
  });
  const { schema } = defined.input;
  return { ...defined, input: { schema, validate: (value) => ({ ok: true, value }) } };
}
