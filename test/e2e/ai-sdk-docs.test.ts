import { execFile } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { AnswerInput } from "../../src/rehearsal/answer-schema.ts";
import type { RequestView } from "../../src/rehearsal/request-view.ts";
import type { JsonObject } from "../../src/wire/json.ts";
import { setStage } from "../support/rehearsed.ts";
import { processesOf } from "../support/stage-processes.ts";

// The programs of the AI SDK's own documentation, as the installed package ships them, on our model.

const root = resolve(import.meta.dirname, "../..");
const page = (name: string): string =>
  readFileSync(join(root, "node_modules/ai/docs/03-ai-sdk-core", `${name}.mdx`), "utf8");

/** The first program of a page that holds all these words. */
function programOf(name: string, words: string[]): string {
  const programs = [...page(name).matchAll(/```ts[^\n]*\n([^]*?)```/g)].map(
    ([, code = ""]) => code,
  );
  const found = programs.find((code) => words.every((word) => code.includes(word)));
  if (found === undefined) throw new Error(`No program with ${words.join(", ")} in ${name}.`);
  return found
    .replace("__PROVIDER_IMPORT__", 'import { model } from "./model.mjs"')
    .replaceAll("__MODEL__", "model");
}

const recipe = {
  recipe: {
    name: "Lasagna",
    ingredients: [{ name: "cheese", amount: "200 g" }],
    steps: ["Bake it."],
  },
};
const advice = { summary: "Sunny.", recommendation: "A hat." };

/** Calls the tool that there is, then gives the object that is wanted, then says something. */
function answer({ body, newToolResults }: RequestView): AnswerInput {
  const names = (body.tools ?? []).map(({ name }) => name);
  const own = names.find((name) => name.startsWith("mcp__tools__"));
  const input: JsonObject = own?.endsWith("weather")
    ? { location: "San Francisco" }
    : { city: "x" };
  if (own !== undefined && newToolResults.length === 0) return { tools: [{ name: own, input }] };
  const isDone = newToolResults.some(({ name }) => name === "StructuredOutput");
  if (!names.includes("StructuredOutput") || isDone) return { text: "There you are." };
  return { tools: [{ name: "StructuredOutput", input: own === undefined ? recipe : advice }] };
}

const tools = "15-tools-and-tool-calling";
const objects = "10-generating-structured-data";

test.each<[string, string, string[], string, unknown]>([
  [
    "tool calling",
    tools,
    ["const result = await", "isStepCount(5)"],
    "[result.text, result.steps.length]",
    ["There you are.", 2],
  ],
  [
    "multi-step calls",
    tools,
    ["const { text, steps } = await"],
    "[text, steps.length]",
    ["There you are.", 2],
  ],
  // The call is left open, and the program ends all the same.
  ["a forced tool", tools, ["toolChoice: 'required'"], "result.toolResults.length", 1],
  [
    "a stream of all events",
    "05-generating-text",
    ["cityAttractions", "result.stream"],
    "await result.finishReason",
    "tool-calls",
  ],
  [
    "structured output",
    objects,
    ["const { output } = await", "recipe: z.object"],
    "output",
    recipe,
  ],
  ["partial objects", objects, ["const { partialOutputStream }"], "1", 1],
  [
    "structured output with tools",
    objects,
    ["const { output } = await", "tools: {"],
    "output",
    advice,
  ],
])("the documented program for %s runs unchanged", async (_name, from, words, told, expected) => {
  const stage = await setStage({ rules: [] });
  stage.rehearsal.setScript(answer);
  const home = stage.cwd;
  symlinkSync(join(root, "node_modules"), join(home, "node_modules"));
  writeFileSync(join(home, "package.json"), '{ "type": "module" }\n');
  writeFileSync(
    join(home, "model.mjs"),
    `import { createClaudeCode } from ${JSON.stringify(join(root, "dist/model/index.js"))};
     export const model = createClaudeCode({ cwd: ${JSON.stringify(home)}, env: ${JSON.stringify(stage.env)} })("sonnet");`,
  );
  writeFileSync(
    join(home, "program.ts"),
    `${programOf(from, words)}\nconsole.log(JSON.stringify(${told}));\n`,
  );
  const run = promisify(execFile)(process.execPath, ["--no-warnings", join(home, "program.ts")], {
    timeout: 90_000,
  });
  const { stdout } = await run;
  expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toEqual(expected);
  await expect.poll(() => processesOf(stage), { timeout: 20_000 }).toEqual([]);
});
