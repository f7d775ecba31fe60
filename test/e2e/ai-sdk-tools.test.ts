import type { ModelMessage } from "ai";
import { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { McpServerConfig } from "../../src/engine/sdk-options.ts";
import { defineTool } from "../../src/model/index.ts";
import { call, providerOn, sessionsOf, stageOf } from "../support/ai-stage.ts";
import { expectNothingLeft } from "../support/model-stage.ts";
import { mainRequests, openShop } from "../support/tool-stage.ts";

// The caller's own tools, on the real CLI with a model that follows a script.

const weather = tool({
  description: "Tells the weather.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
});

const stopWhen = isStepCount(6);

/** The conversation with another word in one of its messages. */
const edited = (messages: ModelMessage[], at: number, from: string, to: string): ModelMessage[] =>
  messages.map((message, index) =>
    index === at
      ? (JSON.parse(JSON.stringify(message).replace(from, to)) as ModelMessage)
      : message,
  );

describe("tools that the AI SDK runs", () => {
  const story = [
    {
      thinking: "Hm.",
      text: "Let me look.",
      tools: call("weather", { city: "Berlin" }, { city: "Paris" }),
    },
    { tools: call("weather", { city: "Rome" }) },
  ];

  test("in parallel, then again, in one session; ids, usage and metadata are the session's own", async () => {
    const stage = await stageOf(...story);
    const claude = providerOn(stage);
    const result = await generateText({
      model: claude("sonnet"),
      tools: { weather },
      stopWhen,
      prompt: "How is the weather?",
    });
    expect(result.text).toBe("sunny in Rome");
    expect(result.steps.map(({ finishReason }) => finishReason)).toEqual([
      "tool-calls",
      "tool-calls",
      "stop",
    ]);
    expect(result.steps[0]!.reasoningText).toBe("Hm.");
    expect(result.steps[0]!.text).toBe("Let me look.");
    const ids = result.steps.flatMap(({ toolCalls }) => toolCalls.map((each) => each.toolCallId));
    const asked = mainRequests(stage);
    expect(asked).toHaveLength(3);
    expect(sessionsOf(stage)).toBe(1);
    const known = asked.flatMap((each) => each.new_tool_results.map(({ id }) => id));
    expect(ids).toEqual(known);
    expect(asked[1]!.new_tool_results.map(({ text }) => text)).toEqual([
      "sunny in Berlin",
      "sunny in Paris",
    ]);
    const metadata = result.providerMetadata!["claude-code"]!;
    expect(metadata).toMatchObject({
      sessionId: expect.stringMatching(/^[\da-f-]{36}$/),
      costUsd: expect.any(Number),
    });
    const [usage] = Object.values(metadata["usageByModel"] as object) as {
      output_tokens: number;
    }[];
    expect(result.usage.outputTokens).toBe(usage!.output_tokens);
    await expectNothingLeft(stage);
  });

  test("of a JSON Schema, side by side, beside those of a server in mcpServers", async () => {
    const stage = await stageOf(
      { tools: call("meet", { who: "Ada" }, { who: "Bob" }) },
      { tools: [{ name: "mcp__shop__price" }] },
    );
    const price = defineTool({
      name: "price",
      description: "Tells the price.",
      input: z.object({}),
      handler: () => "3 euros",
    });
    const shop = (await openShop("stdio", [price])).mcpServerConfig() as McpServerConfig;
    const schema: Parameters<typeof jsonSchema>[0] = {
      type: "object",
      properties: { who: { type: "string", enum: ["Ada", "Bob"] } },
      required: ["who"],
    };
    // Neither call ends before both have begun.
    const begun = new Set<string>();
    const both = Promise.withResolvers<void>();
    const execute = async ({ who }: { who: string }): Promise<string> => {
      if (begun.add(who).size === 2) both.resolve();
      await both.promise;
      return `${who} was there`;
    };
    const { text, steps } = await generateText({
      model: providerOn(stage, { mcpServers: { shop }, permission: "allow" })(),
      tools: { meet: tool({ inputSchema: jsonSchema<{ who: string }>(schema), execute }) },
      stopWhen,
      prompt: "Meet.",
    });
    expect(text).toBe("3 euros");
    const [first, second] = mainRequests(stage);
    const told = first!.body!.tools!.find(({ name }) => name === "mcp__tools__meet");
    expect(told).toMatchObject({ input_schema: schema });
    expect(second!.new_tool_results.map((each) => each.text)).toEqual([
      "Ada was there",
      "Bob was there",
    ]);
    expect(steps.at(-1)!.content).toContainEqual(
      expect.objectContaining({ toolName: "mcp__shop__price", providerExecuted: true }),
    );
  });

  test("while they stream", async () => {
    const stage = await stageOf(...story);
    const claude = providerOn(stage, { transport: "stdio" });
    const { stream } = streamText({
      model: claude("sonnet"),
      tools: { weather },
      stopWhen,
      prompt: "How is the weather?",
    });
    const parts: string[] = [];
    for await (const part of stream) {
      if (part.type === "tool-result") parts.push(`tool-result ${String(part.output)}`);
      else if (part.type === "text-delta") parts.push(part.text);
      else if (!["start", "response-metadata"].includes(part.type)) parts.push(part.type);
    }
    const order = parts.filter((part) => !part.startsWith("tool-input") && part !== "tool-call");
    expect(order.filter((part) => !part.startsWith("tool-result")).join(" ")).toBe(
      "start-step reasoning-start reasoning-delta reasoning-end text-start Let me look. text-end finish-step" +
        " start-step finish-step start-step text-start sunny in Rome text-end finish-step finish",
    );
    expect(order.filter((part) => part.startsWith("tool-result"))).toHaveLength(3);
    expect(parts.filter((part) => part === "tool-input-start")).toHaveLength(3);
    expect(parts.filter((part) => part === "tool-input-end")).toHaveLength(3);
    expect(sessionsOf(stage)).toBe(1);
  });

  test("tell their failures, their own checks, their images and long texts to the model", async () => {
    const PNG =
      "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC";
    const stage = await stageOf(
      { tools: [...call("broken"), ...call("weather", { town: "Berlin" })] },
      { tools: [...call("photo"), ...call("report")] },
      { text: "Thank you." },
    );
    const long = "a line of it\n".repeat(30_000);
    const claude = providerOn(stage);
    const { steps } = await generateText({
      model: claude(),
      tools: {
        weather,
        broken: tool({
          inputSchema: z.object({}),
          execute: (): string => {
            throw new Error("out of order");
          },
        }),
        report: tool({ inputSchema: z.object({}), execute: () => long }),
        photo: tool({
          inputSchema: z.object({}),
          execute: () => PNG,
          toModelOutput: ({ output }) => ({
            type: "content",
            value: [
              { type: "text", text: "The shop:" },
              { type: "file", data: { type: "data", data: output }, mediaType: "image/png" },
            ],
          }),
        }),
      },
      stopWhen,
      prompt: [
        {
          role: "user",
          content: [
            { type: "text", text: "Look at this." },
            { type: "file", data: PNG, mediaType: "image/png" },
          ],
        },
      ],
    });
    const [first, second, third] = mainRequests(stage);
    expect(JSON.stringify(first!.body!.messages[0])).toContain(PNG);
    expect(second!.new_tool_results).toMatchObject([
      { text: "Error: out of order", is_error: true },
      { text: expect.stringContaining("Invalid input for tool weather"), is_error: true },
    ]);
    expect(JSON.stringify(third!.body!.messages.at(-1))).toContain(PNG);
    expect(third!.new_tool_results.map(({ text }) => text)).toContain(long);
    expect(steps[1]!.toolResults.map(({ output }) => output)).toContain(long);
    expect(steps).toHaveLength(3);
  });
});

describe("tools that the caller answers", () => {
  const ask = tool({
    description: "Asks the user.",
    inputSchema: z.object({ question: z.string() }),
    outputSchema: z.string(),
  });

  test("without execute, also with a new message of the user beside the answer", async () => {
    const stage = await stageOf({ tools: call("ask", { question: "Which?" }) });
    const claude = providerOn(stage);
    const messages: ModelMessage[] = [{ role: "user", content: "Do it." }];
    const first = await generateText({ model: claude(), tools: { ask }, messages });
    expect(first.finishReason).toBe("tool-calls");
    const [{ toolCallId, toolName }] = first.toolCalls as [(typeof first.toolCalls)[number]];
    messages.push(...first.responseMessages, {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId,
          toolName,
          output: { type: "text", value: "the red one" },
        },
      ],
    });
    messages.push({ role: "user", content: "And hurry up." });
    const second = await generateText({ model: claude(), tools: { ask }, messages });
    expect(second.text).toBe("the red one");
    expect(sessionsOf(stage)).toBe(1);
    const last = mainRequests(stage).at(-1)!;
    expect(mainRequests(stage)).toHaveLength(2);
    expect(JSON.stringify(last.body!.messages.slice(-2))).toContain("And hurry up.");
  });

  test.each([
    [true, "removed", 1],
    [false, "!The user denied this call: not today", 1],
  ])("after an approval: %s", async (approved, told, sessions) => {
    const stage = await stageOf({ tools: call("remove") });
    const claude = providerOn(stage);
    const remove = tool({ inputSchema: z.object({}), execute: () => "removed" });
    const settings = {
      model: claude(),
      tools: { remove },
      toolApproval: { remove: "user-approval" },
      stopWhen,
    } as const;
    const messages: ModelMessage[] = [{ role: "user", content: "Remove it." }];
    const first = await generateText({ ...settings, messages });
    messages.push(...first.responseMessages);
    const request = first.content.find((part) => part.type === "tool-approval-request");
    messages.push({
      role: "tool",
      content: [
        {
          type: "tool-approval-response",
          approvalId: request!.approvalId,
          approved,
          reason: "not today",
        },
      ],
    });
    const second = await generateText({ ...settings, messages });
    expect(second.text).toBe(told);
    expect(sessionsOf(stage)).toBe(sessions);
  });
});

describe("from step to step", () => {
  const other = tool({ inputSchema: z.object({}), execute: () => "other" });

  test("the tools, the model and the instructions may change", async () => {
    const stage = await stageOf(
      { tools: call("weather", { city: "Berlin" }) },
      { tools: [...call("other"), ...call("weather", { city: "Paris" })] },
    );
    const claude = providerOn(stage);
    const { text, steps } = await generateText({
      model: claude("sonnet"),
      tools: { weather, other },
      activeTools: ["weather"],
      stopWhen,
      instructions: "Be brief.",
      prompt: "Go.",
      prepareStep: ({ stepNumber }) => {
        if (stepNumber === 1) return { activeTools: ["other"], model: claude("haiku") };
        return stepNumber === 2 ? { instructions: "Be long." } : {};
      },
    });
    expect(steps).toHaveLength(3);
    const asked = mainRequests(stage);
    expect(asked[0]!.tools).not.toContain("mcp__tools__other");
    expect(asked[1]!.tools).toContain("mcp__tools__other");
    expect(asked[1]!.body!.model).toMatch(/haiku/);
    // A tool that is gone is still named where it was used, and refused by Claude Code itself.
    expect(JSON.stringify(steps[1]!.content)).toContain("No such tool available");
    // Other instructions are another conversation: a new session gets all of it.
    expect(sessionsOf(stage)).toBe(2);
    expect(JSON.stringify(asked[2]!.body!.system)).toContain("Be long.");
    expect(JSON.stringify(asked[2]!.body!.messages)).toContain("sunny in Berlin");
    expect(text).toBe("");
  });

  test.each([
    ["a word", 0],
    ["the input of a call", 1],
  ])(
    "a conversation in which %s was edited starts a new session with its history",
    async (_what, at) => {
      const stage = await stageOf({ tools: call("weather", { city: "Berlin" }) });
      const messages: ModelMessage[] = [{ role: "user", content: "How is it in Berlin?" }];
      const settings = { model: providerOn(stage)(), tools: { weather } };
      const first = await generateText({ ...settings, messages });
      stage.rehearsal.setScript(() => ({ text: "Anew." }));
      messages.push(...first.responseMessages);
      const second = await generateText({
        ...settings,
        messages: edited(messages, at, "Berlin", "Bonn"),
      });
      expect(second.text).toBe("Anew.");
      const changed = expect.stringContaining("has been changed since: a new session began");
      expect(second.warnings).toEqual([{ type: "other", message: changed }]);
      expect(sessionsOf(stage)).toBe(2);
      const told = JSON.stringify(mainRequests(stage).at(-1)!.body!.messages);
      expect(told).toContain("Bonn");
      expect(told).toContain("sunny in Berlin");
      await expectNothingLeft(stage);
    },
  );

  test("an input that a schema or a repair has changed is no edit of the conversation", async () => {
    const stage = await stageOf(
      { tools: call("weather", { city: " Berlin ", days: "5", other: 1 }) },
      { tools: call("weather", { town: "Rome" }) },
      { tools: call("weather", { city: "Bonn" }) },
    );
    const inputSchema = z.object({
      city: z.string().trim(),
      days: z.coerce.number().default(1),
      unit: z.string().default("C"),
    });
    const execute = (input: z.infer<typeof inputSchema>): string => Object.values(input).join();
    const { text, steps } = await generateText({
      model: providerOn(stage)(),
      tools: { weather: tool({ inputSchema, execute }) },
      stopWhen,
      prompt: "Go.",
      repairToolCall: async ({ toolCall }) => ({ ...toolCall, input: '{"city":"Roma"}' }),
    });
    const given = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
    expect(given).toEqual(["Berlin,5,C", "Roma,1,C", "Bonn,1,C"]);
    expect([text, sessionsOf(stage)]).toEqual(["Bonn,1,C", 1]);
  });
});
