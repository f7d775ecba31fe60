import { isCallToolResult } from "@modelcontextprotocol/server";
import type { Validator } from "../tool/validator.ts";
import { describeViolations } from "../tool/validator.ts";
import type { TextContent, McpToolResult } from "../tool/make-mcp-content.ts";
import { isMarkedBlock, isMarkedResult } from "../tool/make-mcp-content.ts";
import type { Tool } from "../tool/define-tool.ts";
import { badResult } from "./describe-failure.ts";

/**
 * A handler's return value as MCP's result: nothing is an empty text, a string is a text, content is passed on, and
 * any other value is JSON text, with an output schema also structured content.
 *
 * @throws `tool_failed` when it cannot be sent or does not fit the tool's output schema.
 */
export async function toResult({ output }: Tool, returned: unknown): Promise<McpToolResult> {
  const made = madeContent(returned);
  const result = made && checkForm(made);
  if (!output || result?.isError) return result ?? { content: [toText(returned)] };
  const structuredContent = await fit(output, result ? result.structuredContent : returned);
  return { content: [toText(structuredContent)], ...result, structuredContent };
}

/** Undefined for everything that was not made with our helpers: that is JSON, whatever it looks like. */
function madeContent(returned: unknown): McpToolResult | undefined {
  if (isMarkedResult(returned)) return returned;
  if (isMarkedBlock(returned)) return { content: [returned] };
  if (!Array.isArray(returned) || !returned.some(isMarkedBlock)) return undefined;
  if (returned.every(isMarkedBlock)) return { content: returned };
  throw badResult("it returned a list that mixes MCP content and plain values");
}

/** Checked here, so that a bad block fails the tool and not the protocol. */
function checkForm(result: McpToolResult): McpToolResult {
  if (!isCallToolResult(result)) throw badResult("its content does not have MCP's form");
  // Checked here for one clear error; later each transport would fail in its own way.
  if (result.structuredContent !== undefined) toJson(result.structuredContent);
  if (result.content.length > 0) return result;
  return { ...result, content: [toText(result.structuredContent)] };
}

async function fit(output: Validator, value: unknown): Promise<Record<string, unknown>> {
  if (value === undefined) throw badResult("its result lacks the structured content it promised");
  const result = await output.validate(value);
  if (result.ok) return result.value as Record<string, unknown>;
  const violations = describeViolations(result.violations);
  throw badResult(`its result does not fit its output schema: ${violations}`);
}

function toText(value: unknown): TextContent {
  const words = value ?? "";
  return { type: "text", text: typeof words === "string" ? words : toJson(words) };
}

function toJson(value: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (cause) {
    // Node describes a cycle in several lines; the first is enough.
    const [why] = String(cause instanceof Error ? cause.message : cause).split("\n");
    throw badResult(`its result has no JSON form (${why})`, cause);
  }
  if (json === undefined) throw badResult(`its result has no JSON form (${typeof value})`);
  return json;
}
