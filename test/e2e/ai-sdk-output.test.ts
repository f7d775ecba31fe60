import { generateText, isStepCount, NoObjectGeneratedError, Output, streamText, tool } from "ai";
import * as ai6 from "ai6";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { RequestMetadata } from "../../src/model/index.ts";
import type { AnswerInput } from "../../src/rehearsal/answer-schema.ts";
import type { JsonObject } from "../../src/wire/json.ts";
import { providerOn, stageOf } from "../support/ai-stage.ts";
import { setStage } from "../support/rehearsed.ts";
import { mainRequests } from "../support/tool-stage.ts";

const give = (input: JsonObject): AnswerInput => ({ tools: [{ name: "StructuredOutput", input }] });

const names = (parts: unknown[]): string[] =>
  parts.map((part) => String((part as { name?: string }).name));

describe("objects of a schema", () => {
  const output = Output.object({ schema: z.object({ name: z.string(), people: z.number() }) });
  const berlin = { name: "Berlin", people: 3.7 };

  test("are given, also after tools", async () => {
    const stage = await stageOf(
      { text: "Let me look.", tools: [{ name: "mcp__tools__look" }] },
      { ...give(berlin), text: "Here it is." },
      { text: "Anything else?" },
    );
    const claude = providerOn(stage);
    const look = tool({ inputSchema: z.object({}), execute: () => "3.7 million" });
    const withTools = await generateText({
      model: claude(),
      tools: { look },
      output,
      stopWhen: isStepCount(5),
      prompt: "Which city?",
    });
    expect(withTools.output).toEqual(berlin);
    expect(withTools.steps).toHaveLength(2);
  });

  test("come in parts while they stream, also when the first one was wrong", async () => {
    const stage = await stageOf(
      { ...give(berlin), delta_chars: 3 },
      { text: "Anything else?" },
      { ...give({ name: "Bern", people: "many" }), delta_chars: 3 },
      { ...give(berlin), delta_chars: 3 },
      { text: "Anything else?" },
      give({ output: JSON.stringify(berlin) }),
    );
    const claude = providerOn(stage);
    const partsOf = async (): Promise<unknown[]> => {
      const streamed = streamText({ model: claude(), output, prompt: "Which city?" });
      const parts: unknown[] = [];
      for await (const each of streamed.partialOutputStream) parts.push(each);
      expect(await streamed.output).toEqual(berlin);
      return parts;
    };
    const right = await partsOf();
    expect(right.at(-1)).toEqual(berlin);
    expect(new Set(names(right)).size).toBeGreaterThan(1);
    expect(names(right).filter((name) => !berlin.name.startsWith(name))).toEqual([]);
    const corrected = await partsOf();
    expect(corrected.at(-1)).toEqual(berlin);
    expect(names(corrected)).toContain("Bern");
    expect(await partsOf()).toEqual([berlin]);
  });

  test("may hold what only their dialect of JSON Schema knows", async () => {
    const schema = z.object({ at: z.tuple([z.string(), z.number()]) });
    const stage = await stageOf(give({ at: [52, "Berlin"] }), give({ at: ["Berlin", 52] }), {
      text: "There.",
    });
    const { output: found } = await generateText({
      model: providerOn(stage)(),
      output: Output.object({ schema }),
      prompt: "Where?",
    });
    expect(found).toEqual({ at: ["Berlin", 52] });
    // Claude Code judges by it, too.
    expect(mainRequests(stage)[1]!.new_tool_results).toMatchObject([{ is_error: true }]);
  });

  test("are found in a text, or missed with an error that shows what came", async () => {
    const stage = await stageOf(
      { text: `It is ${JSON.stringify(berlin)}.` },
      { text: "As I said." },
    );
    const claude = providerOn(stage);
    const prose = { text: "I would rather not." };
    stage.rehearsal.setScript(() => ({ text: `It is ${JSON.stringify(berlin)}.` }));
    const found = await generateText({ model: claude(), output, prompt: "Which city?" });
    expect(found.output).toEqual(berlin);
    stage.rehearsal.setScript(() => prose);
    const missed = generateText({ model: claude(), output, prompt: "Which city?" });
    await expect(missed.then(({ output: object }) => object)).rejects.toSatisfy(
      (error) => NoObjectGeneratedError.isInstance(error) && error.text === prose.text,
    );
  });
});

test("in agent mode Claude Code's own tools appear as run by the provider, beside the caller's", async () => {
  const stage = await setStage({ rules: [] });
  const bash = { name: "Bash", input: { command: "echo $((6 * 7)) times" } };
  const own = { name: "mcp__tools__own", input: {} };
  let asked = 0;
  stage.rehearsal.setScript(({ newToolResults }) => {
    asked += 1;
    if (asked === 1) return { tools: [bash] };
    if (asked === 2)
      return { text: "And now both.", tools: [own, { ...bash, input: { command: "mkdir made" } }] };
    return { text: newToolResults.map(({ text }) => text).join() };
  });
  const claude = providerOn(stage, { builtInTools: ["Bash"], permission: "allow" });
  const { steps, text } = await generateText({
    model: claude(),
    tools: { own: tool({ inputSchema: z.object({}), execute: () => "from own" }) },
    stopWhen: isStepCount(5),
    instructions: "Be brief.",
    prompt: "Go.",
  });
  const [first] = mainRequests(stage);
  expect(first!.tools).toEqual(expect.arrayContaining(["Bash", "mcp__tools__own"]));
  expect(JSON.stringify(first!.body!.system)).toContain("Be brief.");
  const told = steps.flatMap(({ content }) => content);
  expect(told).toContainEqual(
    expect.objectContaining({ type: "tool-call", toolName: "Bash", providerExecuted: true }),
  );
  const result = { type: "tool-result", toolName: "Bash", providerExecuted: true };
  expect(told).toContainEqual(expect.objectContaining({ ...result, output: "42 times" }));
  expect(told).toContainEqual(
    expect.objectContaining({ type: "tool-result", toolName: "own", output: "from own" }),
  );
  expect(text).toContain("from own");
});

test("a setting that has no effect causes a warning, and each other reaches the session", async () => {
  const stage = await stageOf({ tools: [{ name: "mcp__tools__look" }] }, { text: "Hello." });
  const claude = providerOn(stage);
  const { warnings, providerMetadata } = await generateText({
    model: claude("sonnet"),
    instructions: "Be a clock.",
    temperature: 0.5,
    maxOutputTokens: 1234,
    reasoning: "high",
    tools: { look: tool({ inputSchema: z.object({}), execute: () => "nothing" }) },
    toolChoice: "required",
    stopWhen: isStepCount(1),
    prompt: "My name is Ada.",
  });
  expect(warnings!.map((warning) => "feature" in warning && warning.feature)).toEqual([
    "temperature",
    "toolChoice required",
  ]);
  const { sessionId } = providerMetadata!["claude-code"] as { sessionId: string };
  const resumed = {
    model: claude("sonnet"),
    providerOptions: { "claude-code": { resume: sessionId } },
  };
  await generateText({ ...resumed, prompt: "Who am I?" });
  // What it costs is its own, though Claude Code counts over the whole session.
  const { usage, finalStep } = await generateText({ ...resumed, prompt: "And you?" });
  const { usageByModel, costUsd } = finalStep.providerMetadata![
    "claude-code"
  ] as unknown as RequestMetadata;
  expect(Object.values(usageByModel)).toMatchObject([
    { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, cost_usd: costUsd },
  ]);
  const [first, second] = mainRequests(stage).map(({ body }) => body!);
  expect(first!["max_tokens"]).toBe(1234);
  expect(first!["output_config"]).toMatchObject({ effort: "high" });
  expect(JSON.stringify(first!.system)).toContain("Be a clock.");
  expect(JSON.stringify(second!.messages)).toContain("My name is Ada.");
});

test("version 6 of the AI SDK has the same, by the adapter", async () => {
  const PNG =
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC";
  const city = { name: "Berlin" };
  const stage = await stageOf(
    { tools: [{ name: "mcp__tools__photo" }, { name: "mcp__tools__broken" }] },
    { text: "A red square." },
    { text: "One two", delta_chars: 3 },
    give(city),
  );
  const claude = providerOn(stage);
  const { text, steps, totalUsage } = await ai6.generateText({
    model: claude.v3("sonnet"),
    tools: {
      photo: ai6.tool({
        inputSchema: z.object({}),
        execute: () => PNG,
        toModelOutput: ({ output }) => ({
          type: "content",
          value: [{ type: "image-data", data: output, mediaType: "image/png" }],
        }),
      }),
      broken: ai6.tool({
        inputSchema: z.object({}),
        execute: (): string => {
          throw new Error("out of order");
        },
      }),
    },
    stopWhen: ai6.stepCountIs(4),
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          { type: "image", image: PNG },
        ],
      },
    ],
  });
  expect({ text, steps: steps.length }).toEqual({ text: "A red square.", steps: 2 });
  expect(totalUsage.outputTokens).toBeGreaterThan(0);
  const [first, second] = mainRequests(stage);
  expect(JSON.stringify(first!.body!.messages[0])).toContain(PNG);
  expect(JSON.stringify(second!.body!.messages.at(-1))).toContain(PNG);
  expect(second!.new_tool_results[1]).toMatchObject({ text: "out of order", is_error: true });
  const words: string[] = [];
  for await (const word of ai6.streamText({ model: claude.v3(), prompt: "Count." }).textStream) {
    words.push(word);
  }
  expect(words.length).toBeGreaterThan(1);
  expect(words.join("")).toBe("One two");
  const object = await ai6.generateText({
    model: claude.v3(),
    output: ai6.Output.object({ schema: z.object({ name: z.string() }) }),
    prompt: "Which?",
  });
  expect(object.output).toEqual(city);
});
