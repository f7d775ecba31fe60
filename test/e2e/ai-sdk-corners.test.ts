import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { generateText, isStepCount, streamText, tool } from "ai";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import type { ModelEvent, PermissionRequest } from "../../src/model/index.ts";
import { BridgeStartupError } from "../../src/model/index.ts";
import type { AnswerInput } from "../../src/rehearsal/answer-schema.ts";
import { call, providerOn, results, sessionsOf, stageOf } from "../support/ai-stage.ts";
import { expectNothingLeft } from "../support/model-stage.ts";
import { setStage } from "../support/rehearsed.ts";
import { mainRequests } from "../support/tool-stage.ts";

// Corners of the provider: what goes wrong between steps, and what a caller may set.

const stopWhen = isStepCount(6);
const weather = { description: "Tells the weather.", inputSchema: z.object({ city: z.string() }) };

const asking = (prompt: LanguageModelV4Prompt): LanguageModelV4CallOptions => ({
  prompt,
  tools: [{ type: "function", name: "ask", inputSchema: { type: "object", properties: {} } }],
});
const bash = (command: string): AnswerInput => ({ tools: [{ name: "Bash", input: { command } }] });
const go: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "Go." }] }];

/** The prompt of the next step, with a result for the first so many of its calls. */
function answering(ids: string[], count: number): LanguageModelV4Prompt {
  const calls = ids.map((toolCallId) => ({ toolCallId, toolName: "ask" }));
  const output = { type: "text", value: "yes" } as const;
  return [
    ...go,
    {
      role: "assistant",
      content: calls.map((each) => ({ type: "tool-call", ...each, input: {} })),
    },
    {
      role: "tool",
      content: calls.slice(0, count).map((each) => ({ type: "tool-result", ...each, output })),
    },
  ];
}

test("a failed step can be requested again: a new session gets the conversation", async () => {
  const stage = await stageOf(
    { tools: call("ask", {}, {}) },
    { fault: { kind: "http", status: 403 } },
    { text: "At last." },
    { tools: call("ask", {}, {}) },
  );
  const model = providerOn(stage)("sonnet");
  const idsOfStep = async (): Promise<string[]> =>
    (await model.doGenerate(asking(go))).content.flatMap((part) =>
      part.type === "tool-call" ? [part.toolCallId] : [],
    );
  const ids = await idsOfStep();
  expect(ids).toHaveLength(2);
  const next = asking(answering(ids, 2));
  await expect(model.doGenerate(next)).rejects.toMatchObject({ code: "authentication_failed" });
  const { content } = await model.doGenerate(next);
  expect(content).toEqual([{ type: "text", text: "At last." }]);
  expect(sessionsOf(stage)).toBe(2);
  // Of two calls, one is answered: the model learns that the other will not be.
  await model.doGenerate(asking(answering(await idsOfStep(), 1)));
  expect(mainRequests(stage).at(-1)!.new_tool_results).toMatchObject([
    { text: "yes", is_error: false },
    { text: expect.stringContaining("went on without giving a result"), is_error: true },
  ]);
  await expectNothingLeft(stage);
});

test.each(["generateText", "streamText"])(
  "a text that an API error cut does not count as a change of the conversation: %s",
  async (how) => {
    const cut = { kind: "cut", after_deltas: 2 } as const;
    const stage = await stageOf(
      {
        text: "It is a long answer that breaks off",
        delta_chars: 3,
        delta_delay_ms: 700,
        fault: cut,
      },
      { text: "Let me look.", tools: call("weather", { city: "Berlin" }) },
    );
    const tools = { weather: tool({ ...weather, execute: ({ city }) => `sunny in ${city}` }) };
    const settings = { model: providerOn(stage)(), tools, stopWhen, prompt: "Go." };
    const { text, steps } =
      how === "generateText" ? await generateText(settings) : streamText(settings);
    expect(await text).toBe("sunny in Berlin");
    const [first] = await steps;
    // What a stream has told cannot be taken back.
    expect(first!.text).toMatch(
      how === "generateText" ? /^Let me look\.$/ : /^It .*Let me look\.$/,
    );
    expect(sessionsOf(stage)).toBe(1);
  },
);

test("a session without its tools is an error, and the model is not called", async () => {
  const stage = await stageOf({ text: "Never." });
  const model = providerOn(stage, { transport: "stdio", env: { MCP_TIMEOUT: "1" } })();
  const tools = { weather: tool({ ...weather, execute: () => "sunny" }) };
  const run = generateText({ model, tools, prompt: "Go." });
  await expect(run).rejects.toThrow(BridgeStartupError);
  await expect(run).rejects.toMatchObject({ data: { missing: ["mcp__tools__weather"] } });
  expect(mainRequests(stage)).toEqual([]);
  await expectNothingLeft(stage);
});

test("restrictions apply to the caller's tools, and a failing callback does no harm", async () => {
  const stage = await stageOf(
    { tools: call("weather", { city: "Paris" }) },
    { tools: call("weather", { city: "Berlin" }) },
  );
  const model = providerOn(stage, {
    parameterRestrictions: { weather: { city: "Berlin" } },
    onMessage: () => {
      throw new Error("a callback's own trouble");
    },
  })();
  const execute = vi.fn<(input: { city: string }) => string>(({ city }) => `sunny in ${city}`);
  const tools = { weather: tool({ ...weather, execute }) };
  const { text } = await generateText({ model, tools, stopWhen, prompt: "Go." });
  expect(text).toBe("sunny in Berlin");
  expect(execute.mock.calls.map(([input]) => input)).toEqual([{ city: "Berlin" }]);
  expect(mainRequests(stage)[1]!.new_tool_results).toMatchObject([
    { text: expect.stringContaining('Its city must be "Berlin".'), is_error: true },
  ]);
});

test("a function decides what Claude Code's own tools may do, and another gets every event", async () => {
  const stage = await stageOf(bash("mkdir yes"), bash("mkdir no"), { text: "Done." });
  const asked: PermissionRequest[] = [];
  const heard: ModelEvent[] = [];
  const model = providerOn(stage, {
    builtInTools: ["Bash"],
    permission: async (request) => {
      asked.push(request);
      if (request.input["command"] === "mkdir yes") return { allow: true };
      return { allow: false, message: "Not on a Monday." };
    },
    onMessage: (event) => heard.push(event),
  })();
  const { text } = await generateText({ model, prompt: "Go." });
  expect(text).toBe("Done.");
  expect(asked.map(({ tool: name, input }) => [name, input["command"]])).toEqual([
    ["Bash", "mkdir yes"],
    ["Bash", "mkdir no"],
  ]);
  expect(["yes", "no"].map((name) => existsSync(join(stage.cwd, name)))).toEqual([true, false]);
  expect(mainRequests(stage).at(-1)!.new_tool_results).toMatchObject([
    { text: expect.stringContaining("Not on a Monday."), is_error: true },
  ]);
  await expect.poll(() => heard.at(-1)?.type).toBe("closed");
  const types = heard.map(({ type }) => type);
  for (const type of ["ready", "turn_started", "tool_use", "tool_result", "usage", "turn_ended"]) {
    expect(types).toContain(type);
  }
  const words = heard.flatMap((event) => (event.type === "text_delta" ? [event.text] : []));
  expect(words.join("")).toBe("Done.");
});

test("over stdio, too, the model sees the tools of its step", async () => {
  const stage = await stageOf({ tools: call("one") }, { tools: call("two") });
  const model = providerOn(stage, { transport: "stdio" })();
  const { text, steps } = await generateText({
    model,
    tools: {
      one: tool({ inputSchema: z.object({}), execute: () => "one" }),
      two: tool({ inputSchema: z.object({}), execute: () => "two" }),
    },
    prepareStep: ({ stepNumber }) => ({ activeTools: stepNumber === 0 ? ["one"] : ["two"] }),
    stopWhen,
    prompt: "Go.",
  });
  expect([text, steps.length]).toEqual(["two", 3]);
  const [first, second] = mainRequests(stage);
  expect(first!.tools).not.toContain("mcp__tools__two");
  expect(second!.tools).toContain("mcp__tools__two");
  expect(sessionsOf(stage)).toBe(1);
});

test("a tool with another schema needs a new session, because Claude Code keeps the first schema", async () => {
  const stage = await stageOf({ tools: call("ask") }, { text: "Done." });
  const model = providerOn(stage)();
  const first = await model.doGenerate(asking(go));
  const ids = first.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
  const schema = { type: "object", properties: { whom: { type: "string" } } } as const;
  const { warnings } = await model.doGenerate({
    prompt: answering(ids, 1),
    tools: [{ type: "function", name: "ask", inputSchema: schema }],
  });
  const seen = mainRequests(stage)[1]!.body!;
  const ask = seen.tools!.find(({ name }) => name === "mcp__tools__ask");
  expect(ask).toMatchObject({ input_schema: schema });
  expect(JSON.stringify(seen.messages)).toContain("yes");
  expect(warnings).toEqual([
    { type: "other", message: expect.stringContaining("the schema of a tool has been changed") },
  ]);
  await expectNothingLeft(stage);
});

test("an abort while Claude Code runs a tool ends it too, and an abort beforehand starts nothing", async () => {
  const command = "touch running; tail -f /dev/null";
  const stage = await stageOf(bash(command));
  const model = providerOn(stage, { builtInTools: ["Bash"], permission: "allow" })();
  const abort = new AbortController();
  const { stream } = streamText({ model, prompt: "Go.", abortSignal: abort.signal });
  const parts: string[] = [];
  const reading = (async () => {
    for await (const { type } of stream) parts.push(type);
  })();
  await vi.waitUntil(() => existsSync(join(stage.cwd, "running")), { timeout: 20_000 });
  abort.abort();
  await reading;
  expect(parts).toContain("abort");
  await expectNothingLeft(stage);
  const again = generateText({ model, prompt: "Go.", abortSignal: abort.signal });
  await expect(again).rejects.toThrow("aborted");
  expect(mainRequests(stage)).toHaveLength(1);
});

test("a subagent's calls of the caller's tools are answered in the same session", async () => {
  const stage = await setStage({ rules: [] });
  const agent = { description: "look", prompt: "subtask", run_in_background: false };
  const ofSub: AnswerInput[] = [bash("echo hello"), { tools: call("weather", { city: "Berlin" }) }];
  stage.rehearsal.setScript((request) => {
    if (request.subagent !== undefined) return ofSub.shift() ?? { text: results(request) };
    if (request.newToolResults.length > 0) return { text: "Done." };
    return { tools: [{ name: "Agent", input: { subagent_type: "general-purpose", ...agent } }] };
  });
  const { text, steps } = await generateText({
    model: providerOn(stage, { builtInTools: ["Agent", "Bash"], permission: "allow" })(),
    tools: { weather: tool({ ...weather, execute: ({ city }) => `sunny in ${city}` }) },
    stopWhen,
    prompt: "Go.",
  });
  expect([text, sessionsOf(stage)]).toEqual(["Done.", 1]);
  const told = steps.map(({ content }) =>
    content.flatMap((part) => ("toolName" in part ? [`${part.type} ${part.toolName}`] : [])),
  );
  // The AI SDK wants a call and its result in one step: the agent's is told again beside its result.
  expect(told.map((parts) => parts.toSorted())).toEqual([
    [
      "tool-call Agent",
      "tool-call Bash",
      "tool-call weather",
      "tool-result Bash",
      "tool-result weather",
    ],
    ["tool-call Agent", "tool-result Agent"],
  ]);
  const heard = JSON.stringify(mainRequests(stage).at(-1)!.new_tool_results);
  expect(heard).toContain("sunny in Berlin");
  await expectNothingLeft(stage);
});
