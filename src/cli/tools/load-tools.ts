import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Tool } from "../../bridge/index.ts";
import { isTool } from "../../bridge/index.ts";
import { errorOf } from "../../wire/errors.ts";
import { loadFailure } from "./load-failure.ts";
import { admitUserModules } from "./user-modules.ts";

/**
 * The tools that a file exports: each by itself, or in lists, under any names.
 *
 * @throws `invalid_params` when the file is missing, cannot be loaded, or has no tools.
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
      hint: "Export tools made with defineTool of agent-switchboard/bridge.",
    });
  }
  return tools;
}

async function load(path: string): Promise<Record<string, unknown>> {
  admitUserModules();
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (thrown) {
    throw await loadFailure(path, thrown);
  }
}
