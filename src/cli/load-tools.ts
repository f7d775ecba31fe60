import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Tool } from "../bridge/index.ts";
import { isTool } from "../bridge/tool/define-tool.ts";
import { errorOf } from "../wire/errors.ts";

/**
 * The tools that a file exports: each by itself, or in lists, under whatever names.
 *
 * @throws `invalid_params` when there is no such file, it cannot be loaded, or it has no tools.
 */
export async function loadTools(file: string): Promise<Tool[]> {
  const path = resolve(file);
  if (!existsSync(path)) {
    throw errorOf("invalid_params", `There is no file ${path}.`, {
      hint: "Name a TypeScript or JavaScript file that exports tools made with defineTool.",
    });
  }
  const exported = Object.values(await load(path)).flat();
  const tools = [...new Set(exported.filter(isTool))];
  if (tools.length === 0) {
    throw errorOf("invalid_params", `${path} exports no tools.`, {
      hint: "Export what defineTool of agent-switchboard/bridge gives back.",
    });
  }
  return tools;
}

async function load(path: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw errorOf("invalid_params", `${path} cannot be loaded: ${why}`, {
      cause,
      hint: "Run the file by itself with node to see where it fails.",
    });
  }
}
