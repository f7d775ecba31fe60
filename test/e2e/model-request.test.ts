import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ModelEvent, PermissionRequest } from "../../src/model/index.ts";
import {
  BridgeStartupError,
  ClaudeCodeModel,
  defineTool,
  ToolNotFoundError,
  ToolsetNotRegisteredError,
} from "../../src/model/index.ts";
import type { AnswerInput } from "../../src/rehearsal/answer-schema.ts";
import type { JsonObject } from "../../src/wire/json.ts";
import { FramePeer } from "../support/frames.ts";
import { setStage } from "../support/rehearsed.ts";
import { lastResults, mainRequests, transports } from "../support/tool-stage.ts";
import { callThenTell, expectNothingLeft, hostFiles, modelOn } from "../support/model-stage.ts";

// The class on the real CLI, with a model that follows a script.

const named = (name: string) =>
  defineTool({ name, description: name, input: z.object({}), handler: () => `${name} ran` });

/** A red square of 8 by 8, as the CLI decodes images. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC";

const give = (input: JsonObject): AnswerInput => ({
  tools: [{ name: "StructuredOutput", input }],
});

const silent = { rules: [{ text: "Hello." }] };

test.each(transports)(
  "over %s, a request has its tools and reports its outcome",
  async (transport) => {
    const stage = await setStage(silent);
    stage.rehearsal.setScript(callThenTell("mcp__shop__price", { fruit: "plum" }));
    const price = defineTool({
      name: "price",
      description: "Tells the price of a fruit.",
      input: z.object({ fruit: z.string() }),
      handler: ({ fruit }, { toolUseId }) => ({ fruit, toolUseId }),
    });
    const model = modelOn(stage);
    model.setAgentToolsets([named("other")]);
    model.setAgentToolsets([price], { transport, name: "shop" });
    const { text, output, metadata } = await model.requestWithMetadata("How much is a plum?");
    const { fruit, toolUseId } = JSON.parse(text) as { fruit: string; toolUseId: string };
    expect({ fruit, output }).toEqual({ fruit: "plum", output: undefined });
    expect(toolUseId).toMatch(/^toolu_/);
    expect(mainRequests(stage)[0]!.tools).not.toContain("mcp__tools__other");
    expect(metadata).toMatchObject({
      sessionId: expect.stringMatching(/^[\da-f-]{36}$/),
      costUsd: expect.any(Number),
      durationMs: expect.any(Number),
      turns: 2,
      usage: { output_tokens: expect.any(Number) },
      permissionDenials: [],
    });
    expect(metadata.costUsd).toBeGreaterThan(0);
    const [usage] = Object.values(metadata.usageByModel);
    expect(usage!.output_tokens).toBe(metadata.usage.output_tokens);
    await expectNothingLeft(stage);
  },
);

test("a filter changes what is announced and what can be called together", async () => {
  const stage = await setStage(silent);
  const model = modelOn(stage);
  await expect(model.request("hello", { tools: ["a"] })).rejects.toThrow(ToolsetNotRegisteredError);
  model.setAgentToolsets([named("a"), named("b")]);
  const unknown = model.request("hello", { tools: ["a", "c"] });
  await expect(unknown).rejects.toThrow(ToolNotFoundError);
  await expect(unknown).rejects.toThrow('There is no tool "c". The tools are: a, b.');
  stage.rehearsal.setScript(callThenTell("mcp__tools__b"));
  let schema = "";
  let answer: unknown;
  const { text } = await model.request("call it", {
    tools: ["a"],
    // While it runs, another client asks its host over the socket, past Claude Code's own list.
    permission: "allow",
    onMessage: async ({ type }) => {
      if (type !== "turn_started") return;
      const [socket, announced] = hostFiles();
      schema = readFileSync(announced, "utf8");
      await using peer = await FramePeer.connect(socket);
      answer = await peer.ask({ method: "call_tool", params: { name: "b", arguments: {} } });
    },
  });
  expect(text).toContain("No such tool available: mcp__tools__b");
  expect(mainRequests(stage)[0]!.tools).toContain("mcp__tools__a");
  expect(JSON.parse(schema)).toMatchObject([{ name: "a" }]);
  expect(answer).toMatchObject({
    error: { type: "ToolNotFoundError", message: expect.stringContaining("The tools are: a.") },
  });
  expect((await model.request("call it")).text).toBe("b ran");
});

test("a session that came up without its tools is an error, and the model is not asked", async () => {
  const stage = await setStage(silent);
  const model = modelOn(stage, { env: { MCP_TIMEOUT: "1" } });
  model.setAgentToolsets([named("a")]);
  const request = model.request("hello");
  await expect(request).rejects.toThrow(BridgeStartupError);
  await expect(request).rejects.toMatchObject({
    code: "bridge_startup",
    data: { server: "tools", status: "failed", missing: ["mcp__tools__a"] },
  });
  expect(mainRequests(stage)).toEqual([]);
  await expectNothingLeft(stage);
});

test("the conversation, the system prompt and the model reach the session as they are", async () => {
  const stage = await setStage(silent);
  const model = modelOn(stage, { model: "claude-sonnet-5", systemPrompt: "You are a clock." });
  await model.request("/clear and @file");
  const image = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: PNG },
  } as const;
  await model.request(
    [
      { role: "system", content: "Be brief." },
      { role: "user", content: "What is on it?" },
      { role: "assistant", content: "On what?" },
      { role: "user", content: [{ type: "text", text: "On this." }, image] },
    ],
    { systemPrompt: { append: "You like trains." }, builtInTools: [] },
  );
  const [plain, long] = mainRequests(stage).map(({ body }) => body!);
  expect(plain!.model).toBe("claude-sonnet-5");
  expect(JSON.stringify(plain!.system)).toContain("You are a clock.");
  expect(JSON.stringify(plain!.system)).not.toContain("software engineering");
  expect(JSON.stringify(plain!.messages[0]!.content)).toContain("/clear and @file");
  expect(JSON.stringify(long!.system)).toMatch(/You like trains\.\\n\\nBe brief\./);
  const asked = JSON.stringify(long!.messages[0]!.content);
  expect(asked).toMatch(/User:.*What is on it\?.*Assistant:.*On what\?.*On this\./);
  expect(asked).toContain(PNG);
});

test("a session is resumed by its id, or as the latest of its directory", async () => {
  const stage = await setStage({
    rules: [{ when: { user: "my name" }, text: "Hello, Ada." }, { text: "Go on." }],
  });
  const model = modelOn(stage);
  const first = await model.requestWithMetadata("my name is Ada");
  const { sessionId } = first.metadata;
  const second = await model.requestWithMetadata("and now?", { resume: sessionId });
  expect(second.metadata.sessionId).toBe(sessionId);
  const third = await model.requestWithMetadata("and then?", { continue: true });
  // Each has its own costs, though Claude Code counts those of the session.
  for (const { metadata } of [first, second, third]) {
    const [own] = Object.values(metadata.usageByModel);
    expect(own).toEqual({ ...metadata.usage, cost_usd: metadata.costUsd });
  }
  const last = JSON.stringify(mainRequests(stage).at(-1)!.body!.messages);
  for (const words of ["my name is Ada", "Hello, Ada.", "and now?", "and then?"]) {
    expect(last).toContain(words);
  }
  await expect(model.request("x", { resume: sessionId, continue: true })).rejects.toMatchObject({
    code: "invalid_params",
  });
  await expect(
    model.request("x", { resume: "11111111-2222-4333-8444-555555555555" }),
  ).rejects.toMatchObject({ code: "session_not_found" });
});

describe("what a session may do", () => {
  const write = { name: "Bash", input: { command: "mkdir -p made" } };
  const script = { rules: [{ when: { tool_result: "Bash" }, text: "Done." }, { tools: [write] }] };

  test("is denied, allowed, or decided by a function", async () => {
    const stage = await setStage(script);
    const model = modelOn(stage);
    const denied = await model.requestWithMetadata("write");
    expect(denied.metadata.permissionDenials).toMatchObject([{ tool: "Bash", input: write.input }]);
    expect(lastResults(stage)[0]).toMatchObject({ is_error: true });
    await model.request("write", { permission: "allow" });
    expect(lastResults(stage)[0]).toMatchObject({ is_error: false });
    const asked: PermissionRequest[] = [];
    await model.request("write", {
      permission: async (request) => {
        asked.push(request);
        return { allow: false, message: "Not on a Monday." };
      },
    });
    expect(asked).toMatchObject([{ tool: "Bash", input: write.input }]);
    expect(lastResults(stage)[0]!.text).toContain("Not on a Monday.");
    await model.request("write", { allowedTools: ["Bash(mkdir *)"] });
    expect(lastResults(stage)[0]).toMatchObject({ is_error: false });
    await model.request("write", { disallowedTools: ["Bash"], permission: "allow" });
    expect(lastResults(stage)[0]).toMatchObject({ is_error: true });
  });

  test("is bound by restrictions of parameters, also where everything is allowed", async () => {
    const stage = await setStage(script);
    const model = modelOn(stage, { permission: "allow" });
    await model.request("write", {
      parameterRestrictions: { Bash: { run_in_background: false } },
    });
    expect(lastResults(stage)).toEqual([
      {
        text: expect.stringContaining("Its run_in_background must be false."),
        is_error: true,
      },
    ]);
    await model.request("write", {
      parameterRestrictions: { Bash: { command: (value) => value === "mkdir -p made" } },
    });
    expect(lastResults(stage)[0]).toMatchObject({ is_error: false });
  });

  test("is nothing where a restriction fails", async () => {
    const stage = await setStage(script);
    const model = modelOn(stage, { permission: "allow" });
    await model.request("write", {
      parameterRestrictions: {
        Bash: {
          command: () => {
            throw new Error("a restriction's own trouble");
          },
        },
      },
    });
    expect(lastResults(stage)).toEqual([
      { text: expect.stringContaining("Its command is not allowed."), is_error: true },
    ]);
    expect(existsSync(join(stage.cwd, "made"))).toBe(false);
  });

  test("ends at the limits that it was given", async () => {
    const stage = await setStage({ rules: [{ tools: [write] }] });
    const model = modelOn(stage, { permission: "allow" });
    await expect(model.request("write", { maxTurns: 2 })).rejects.toMatchObject({
      code: "max_turns",
    });
    await expect(model.request("write", { maxBudgetUsd: 0.000001 })).rejects.toMatchObject({
      code: "budget_exhausted",
    });
  });
});

describe("an object of a schema", () => {
  const city = z.object({ name: z.string(), people: z.number() });
  const berlin = { name: "Berlin", people: 3.7 };

  test("is given as the schema says, by zod or JSON Schema", async () => {
    const stage = await setStage(silent);
    stage.rehearsal.setScript(({ newToolResults }) =>
      newToolResults.length > 0 ? { text: "There it is." } : give(berlin),
    );
    const model = modelOn(stage);
    const output = city.transform(({ name }) => ({ loud: name.toUpperCase() }));
    const byZod = await model.request("Which city?", { output: city });
    const people: number = byZod.output.people;
    expect([byZod.output, people]).toEqual([berlin, 3.7]);
    const loud = await model.request("Which city?", { output });
    expect(loud.output).toEqual({ loud: "BERLIN" });
    const schema = { type: "object", properties: { name: { type: "string" } } } as const;
    expect((await model.request("Which city?", { output: schema })).output).toEqual(berlin);
  });

  test.each<[string, AnswerInput[]]>([
    ["wrapped", [give({ output: berlin }), give({ parameters: JSON.stringify(berlin) })]],
    ["in a fence", [{ text: `Here:\n\`\`\`json\n${JSON.stringify(berlin)}\n\`\`\`` }]],
    ["in the middle of a text", [{ text: `I think ${JSON.stringify(berlin)} is right.` }]],
  ])("is found where it is %s", async (_where, answers) => {
    const stage = await setStage(silent);
    stage.rehearsal.setScript((_request, { turn }) => answers[turn - 1] ?? answers.at(-1));
    const { output } = await modelOn(stage, { maxTurns: 4 }).request("Which?", { output: city });
    expect(output).toEqual(berlin);
  });

  test("is missed with an error that shows what came", async () => {
    const stage = await setStage({ rules: [{ text: "I would rather not." }] });
    const request = modelOn(stage).request("Which city?", { output: city });
    await expect(request).rejects.toMatchObject({
      code: "output_invalid",
      data: { received: "I would rather not." },
    });
    await expect(request).rejects.toThrow("I would rather not.");
    await expect(
      modelOn(stage).request("Which?", { output: z.string() as never }),
    ).rejects.toMatchObject({ code: "invalid_params" });
  });
});

test("events stream as they happen, and a callback that fails harms nothing", async () => {
  const stage = await setStage({
    rules: [{ thinking: "Hm.", text: "One two three", delta_chars: 4 }],
  });
  const told: ModelEvent[] = [];
  const model = modelOn(stage, {
    onMessage: (event) => {
      told.push(event);
      if (told.length % 2 === 0) throw new Error("a callback's own trouble");
      return Promise.reject(new Error("and later, too"));
    },
  });
  const events: ModelEvent[] = [];
  for await (const event of model.streamMessages("count")) events.push(event);
  const words = events.flatMap((event) => (event.type === "text_delta" ? [event.text] : []));
  expect(words.length).toBeGreaterThan(1);
  expect(words.join("")).toBe("One two three");
  expect(events.at(-1)).toMatchObject({ type: "turn_ended", text: "One two three" });
  expect(told.slice(0, events.length)).toEqual(events);
  for await (const event of model.streamMessages("count")) {
    if (event.type === "text_delta") break;
  }
  await expectNothingLeft(stage);
});

test("time-out, abort and a failed API are typed errors, and leave nothing", async () => {
  const stage = await setStage({
    rules: [
      { when: { user: "stall" }, text: "It begins and", fault: { kind: "stall", after_deltas: 1 } },
      { when: { user: "fail" }, fault: { kind: "http", status: 403 } },
    ],
  });
  const model = modelOn(stage);
  model.setAgentToolsets([named("a")]);
  await expect(model.request("stall", { timeoutMs: 2_000 })).rejects.toMatchObject({
    code: "timeout",
    data: { timeout_seconds: 2 },
  });
  const abort = new AbortController();
  const aborted = model.request("stall", {
    signal: abort.signal,
    onMessage: ({ type }) => type === "text_delta" && abort.abort(new Error("enough")),
  });
  await expect(aborted).rejects.toMatchObject({ code: "aborted", cause: { message: "enough" } });
  await expect(model.request("stall", { signal: abort.signal })).rejects.toMatchObject({
    code: "aborted",
  });
  await expect(model.request("fail")).rejects.toMatchObject({ code: "authentication_failed" });
  await expect(model.request("x", { cwd: "/nowhere" })).rejects.toMatchObject({
    code: "cwd_not_found",
  });
  await expect(new ClaudeCodeModel().request([])).rejects.toMatchObject({ code: "invalid_params" });
  await expectNothingLeft(stage);
});

const PARALLEL = 20;

test(`${PARALLEL} requests of one model at once, each with tools of its own, never meet`, async () => {
  const stage = await setStage(silent);
  const model = modelOn(stage, { timeoutMs: 0, builtInTools: [], systemPrompt: "" });
  stage.rehearsal.setScript(({ user, newToolResults, body }) => {
    if (newToolResults.length > 0) return { text: newToolResults.map(({ text }) => text).join() };
    const tools = (body.tools ?? []).map(({ name }) => name);
    const mine = tools.filter((name) => name.startsWith("mcp__"));
    return { tools: mine.map((name) => ({ name, input: { asked: user ?? "" } })) };
  });
  const numbers = Array.from({ length: PARALLEL }, (_, n) => n);
  const answers = await Promise.all(
    numbers.map(async (n) => {
      const own = defineTool({
        name: `tool_${n}`,
        description: `The tool of request ${n}.`,
        input: z.object({ asked: z.string() }),
        handler: ({ asked }) => `${n} was asked by ${asked}`,
      });
      // A request keeps the tools that were there when it was made.
      model.setAgentToolsets([own, named("other")], { transport: transports[n % 2]! });
      return (await model.request(`request ${n}`, { tools: [`tool_${n}`] })).text;
    }),
  );
  expect(answers).toEqual(numbers.map((n) => `${n} was asked by request ${n}`));
  await expectNothingLeft(stage);
});
