import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { functionTools } from "./hold-tool-call.ts";

const functionOf = (name: string) => ({
  type: "function" as const,
  name,
  inputSchema: { type: "object" as const },
});

test.each<[LanguageModelV4CallOptions["toolChoice"], string[]]>([
  [undefined, ["weather", "cities"]],
  [{ type: "auto" }, ["weather", "cities"]],
  [{ type: "required" }, ["weather", "cities"]],
  [{ type: "none" }, []],
  [{ type: "tool", toolName: "weather" }, ["weather"]],
])("a call with toolChoice %j offers %j", (toolChoice, names) => {
  const tools = [functionOf("weather"), functionOf("cities")];
  const offered = functionTools({ tools, ...(toolChoice && { toolChoice }) });
  expect(offered.map(({ name }) => name)).toEqual(names);
});
