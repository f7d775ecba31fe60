import { isDeepStrictEqual } from "node:util";
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";

/**
 * The tools that a session has been offered. Claude Code calls the model with the first version of a tool's schema,
 * whatever the server says later.
 */
export class OfferedSchemas {
  readonly #schemas = new Map<string, LanguageModelV4FunctionTool["inputSchema"]>();

  add(tools: readonly LanguageModelV4FunctionTool[]): void {
    for (const { name, inputSchema } of tools) {
      if (!this.#schemas.has(name)) this.#schemas.set(name, inputSchema);
    }
  }

  /** Whether the model would see all of these unchanged. */
  fits(tools: readonly LanguageModelV4FunctionTool[]): boolean {
    return tools.every(({ name, inputSchema }) => {
      const known = this.#schemas.get(name);
      return known === undefined || isDeepStrictEqual(known, inputSchema);
    });
  }
}
