import { resolve } from "node:path";
import * as z from "zod";
import { check } from "../../wire/check-message.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";
import { JsonObjectSchema } from "../../wire/json-schemas.ts";
import { readUtf8 } from "./read-utf8.ts";

const hint = 'Expected a file like {"mcpServers":{"name":{"command":"…","args":["…"]}}}.';

const McpConfigSchema = z.object({
  mcpServers: z.record(
    z.string().min(1),
    JsonObjectSchema.refine(
      ({ command, url }) => typeof command === "string" || typeof url === "string",
      { error: "expected a server with command or url" },
    ),
  ),
});

/**
 * The servers of all files; if several files define a name, the last one wins.
 *
 * @throws `invalid_params`, naming the file that is missing or wrong.
 */
export function readMcpConfigs(files: readonly string[]): Record<string, JsonObject> {
  return Object.assign({}, ...files.map(readMcpConfig)) as Record<string, JsonObject>;
}

function readMcpConfig(file: string): Record<string, JsonObject> {
  const path = resolve(file);
  const checked = check(McpConfigSchema, readJson(path), path);
  if (!checked.ok) throw invalid(path, checked.error.message, checked.error);
  return checked.value.mcpServers;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readUtf8(path));
  } catch (cause) {
    if (cause instanceof ClaudeCodeError) throw cause;
    throw invalid(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

const invalid = (path: string, why: string, cause: unknown): ClaudeCodeError =>
  errorOf("invalid_params", `The MCP config ${path} cannot be used: ${why}`, {
    cause,
    hint,
    data: { path },
  });
