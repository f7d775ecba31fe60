import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ModelMessage } from "ai";
import { generateText, isStepCount, streamText, tool } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, providerOn, sessionsOf, stageOf } from "../support/ai-stage.ts";
import { expectNothingLeft } from "../support/model-stage.ts";
import { mainRequests } from "../support/tool-stage.ts";

// The caller's own tools, on the real CLI with a model that follows a script.

const weather = tool({
  description: "Tells the weather.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `sunny in ${city}`,
});

const stopWhen = isStepCount(6);

const asking = (prompt: LanguageModelV4Prompt): LanguageModelV4CallOptions => ({
  prompt,
  tools: [{ type: "function", name: "weather", inputSchema: { type: "object", properties: {} } }],
});

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

  test("tell their failures, their own checks and their images to the model", async () => {
    const PNG =
      "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC";
    const stage = await stageOf(
      { tools: [...call("broken"), ...call("weather", { town: "Berlin" })] },
      { tools: call("photo") },
    );
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

  test("a conversation that was edited begins anew, with its history", async () => {
    const stage = await stageOf({ tools: call("weather", { city: "Berlin" }) });
    const claude = providerOn(stage);
    const messages: ModelMessage[] = [{ role: "user", content: "How is it in Berlin?" }];
    const settings = { model: claude(), tools: { weather } };
    const first = await generateText({ ...settings, messages });
    stage.rehearsal.setScript(() => ({ text: "Anew." }));
    messages[0] = { role: "user", content: "How is it in Bonn?" };
    messages.push(...first.responseMessages);
    const second = await generateText({ ...settings, messages });
    expect(second.text).toBe("Anew.");
    expect(sessionsOf(stage)).toBe(2);
    const told = JSON.stringify(mainRequests(stage).at(-1)!.body!.messages);
    expect(told).toContain("How is it in Bonn?");
    expect(told).toContain("sunny in Berlin");
    await expectNothingLeft(stage);
  });

  test("the same step asked for again is told again, and nothing runs twice", async () => {
    const stage = await stageOf({ tools: call("weather", { city: "Berlin" }) });
    const model = providerOn(stage)("sonnet");
    const first: LanguageModelV4Prompt = [
      { role: "user", content: [{ type: "text", text: "Go." }] },
    ];
    const { content } = await model.doGenerate(asking(first));
    const used = content.find((part) => part.type === "tool-call")!;
    const { toolCallId, toolName } = used;
    const second: LanguageModelV4Prompt = [
      ...first,
      { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input: {} }] },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId, toolName, output: { type: "json", value: [1] } },
        ],
      },
    ];
    const answers = await Promise.all([1, 2].map(() => model.doGenerate(asking(second))));
    const late = await model.doGenerate(asking(second));
    for (const answer of [...answers, late]) {
      expect(answer.content).toEqual([{ type: "text", text: "[1]" }]);
    }
    expect(mainRequests(stage)).toHaveLength(2);
  });
});
