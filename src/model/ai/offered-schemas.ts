import { isDeepStrictEqual } from "node:util";
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";

/**
 * The tools that a session has been offered. Claude Code asks the model with the form in which it first saw a
 * tool, whatever the tool's server says of it later.
 */
export class OfferedSchemas {
  readonly #schemas = new Map<string, LanguageModelV4FunctionTool["inputSchema"]>();

  add(tools: readonly LanguageModelV4FunctionTool[]): void {
    for (const { name, inputSchema } of tools) {
      if (!this.#schemas.has(name)) this.#schemas.set(name, inputSchema);
    }
  }

  /** Whether the model would see all of these as they are. */
  fits(tools: readonly LanguageModelV4FunctionTool[]): boolean {
    return tools.every(({ name, inputSchema }) => {
      const known = this.#schemas.get(name);
      return known === undefined || isDeepStrictEqual(known, inputSchema);
    });
  }
}
