import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { effortOf, warningsFor } from "./call-settings.ts";

const featuresOf = (options: Partial<LanguageModelV4CallOptions>): unknown[] =>
  warningsFor({ prompt: [], ...options }).map((each) => "feature" in each && each.feature);

test.each<[string, Partial<LanguageModelV4CallOptions>, string[]]>([
  ["nothing", {}, []],
  [
    "samplers",
    { temperature: 0, topP: 1, topK: 1, seed: 0 },
    ["temperature", "topP", "topK", "seed"],
  ],
  [
    "penalties",
    { presencePenalty: 0, frequencyPenalty: 0 },
    ["presencePenalty", "frequencyPenalty"],
  ],
  ["stops", { stopSequences: ["x"] }, ["stopSequences"]],
  ["a free choice", { toolChoice: { type: "auto" } }, []],
  ["no tools", { toolChoice: { type: "none" } }, []],
  ["a must", { toolChoice: { type: "required" } }, ["toolChoice required"]],
  ["one tool", { toolChoice: { type: "tool", toolName: "t" } }, ["toolChoice tool"]],
  [
    "a provider's tool",
    { tools: [{ type: "provider", id: "other.search", name: "search", args: {} }] },
    ["provider tool other.search"],
  ],
  ["any JSON", { responseFormat: { type: "json" } }, ["JSON without a schema"]],
  ["a schema", { responseFormat: { type: "json", schema: { type: "object" } } }, []],
])("%s: warned of what has no effect", (_name, options, features) => {
  expect(featuresOf(options)).toEqual(features);
});

test.each([
  [undefined, {}],
  ["provider-default", {}],
  ["none", { thinking: { type: "disabled" } }],
  ["minimal", { effort: "low" }],
  ["xhigh", { effort: "xhigh" }],
] as const)("reasoning %s", (reasoning, expected) => {
  expect(effortOf(reasoning)).toEqual(expected);
});
