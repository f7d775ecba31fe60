import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";
import type { Tool } from "./define-tool.ts";
import { isTool } from "./define-tool.ts";

/** Tools by name: the announced tools are always those that can be called. */
export class ToolSet {
  readonly #byName: ReadonlyMap<string, Tool>;

  /** @throws `tool_invalid` when this is not a list, an item is not a tool, or two have the same name. */
  constructor(tools: readonly Tool[]) {
    const byName = new Map<string, Tool>();
    if (!Array.isArray(tools)) throw noTools("The tools of a host must be an array.");
    for (const [index, tool] of tools.entries()) {
      if (!isTool(tool)) throw noTools(`tools[${index}] is not a tool.`);
      if (byName.has(tool.name)) {
        throw errorOf("tool_invalid", `Two tools are named ${tool.name}.`, {
          hint: "Give each tool of a host a name of its own.",
        });
      }
      byName.set(tool.name, tool);
    }
    this.#byName = byName;
  }

  get schemas(): ToolSchema[] {
    return [...this.#byName.values()].map(({ schema }) => schema);
  }

  /** @throws `tool_not_found` with the names that exist. */
  get(name: string): Tool {
    const tool = this.#byName.get(name);
    if (tool) return tool;
    const names = [...this.#byName.keys()];
    const known = names.length > 0 ? `The tools are: ${names.join(", ")}.` : "There are no tools.";
    throw errorOf("tool_not_found", `There is no tool ${JSON.stringify(name)}. ${known}`, {
      data: { name, known: names },
    });
  }

  /** @throws `tool_not_found` for a name that is not in the set. */
  only(names: readonly string[]): ToolSet {
    return new ToolSet([...new Set(names)].map((name) => this.get(name)));
  }
}

const noTools = (message: string): ClaudeCodeError =>
  errorOf("tool_invalid", message, { hint: "Pass an array of tools made with defineTool." });
