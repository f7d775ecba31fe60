import { APICallError } from "@ai-sdk/provider";
import * as ai6 from "ai6";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { call, providerOn, sessionsOf, stageOf } from "../support/ai-stage.ts";
import { expectNothingLeft } from "../support/model-stage.ts";
import { mainRequests } from "../support/tool-stage.ts";

// The same with version 6 of the AI SDK: steps, approvals and aborts are its own code, not that of version 7.

const inputSchema = z.object({});

test("in AI SDK 6 tools run while they stream, in one session", async () => {
  const stage = await stageOf({
    thinking: "Hm.",
    text: "Let me look.",
    tools: call("one", {}, {}),
  });
  const { fullStream, steps } = ai6.streamText({
    model: providerOn(stage).v3("sonnet"),
    tools: { one: ai6.tool({ inputSchema, execute: () => "done" }) },
    stopWhen: ai6.stepCountIs(3),
    prompt: "Go.",
  });
  const parts: string[] = [];
  for await (const part of fullStream) parts.push(part.type);
  for (const type of ["reasoning-delta", "tool-input-start", "tool-input-delta"]) {
    expect(parts).toContain(type);
  }
  expect(parts.filter((type) => type === "tool-result")).toHaveLength(2);
  expect((await steps).map(({ text }) => text)).toEqual(["Let me look.", "done | done"]);
  expect([sessionsOf(stage), mainRequests(stage).length]).toEqual([1, 2]);
  await expectNothingLeft(stage);
});

test("in AI SDK 6 its own retries are attached: nothing runs twice", async () => {
  const stage = await stageOf({ tools: call("one") }, { text: "Done." }, { text: "Another." });
  let lost = 0;
  const model = ai6.wrapLanguageModel({
    model: providerOn(stage).v3(),
    middleware: {
      specificationVersion: "v3",
      // The first answer of each step gets lost on its way.
      wrapGenerate: async ({ doGenerate }) => {
        const result = await doGenerate();
        if (lost++ % 2 === 1) return result;
        throw new APICallError({
          message: "lost",
          url: "",
          requestBodyValues: {},
          isRetryable: true,
          responseHeaders: { "retry-after-ms": "1" },
        });
      },
    },
  });
  const execute = vi.fn<() => string>(() => "done");
  const settings = {
    model,
    tools: { one: ai6.tool({ inputSchema, execute }) },
    stopWhen: ai6.stepCountIs(3),
    prompt: "Go.",
  };
  expect((await ai6.generateText(settings)).text).toBe("Done.");
  expect([lost, execute.mock.calls.length, mainRequests(stage).length]).toEqual([4, 1, 2]);
  // Another call that says the same is a request of its own.
  expect((await ai6.generateText(settings)).text).toBe("Another.");
  expect(sessionsOf(stage)).toBe(2);
});

test.each([
  [true, "removed"],
  [false, "!The user denied this call: not today"],
])("in AI SDK 6 a call waits for its approval: %s", async (approved, told) => {
  const stage = await stageOf({ tools: call("remove") });
  const remove = ai6.tool({ inputSchema, needsApproval: true, execute: () => "removed" });
  const settings = {
    model: providerOn(stage).v3(),
    tools: { remove },
    stopWhen: ai6.stepCountIs(3),
  };
  const messages: ai6.ModelMessage[] = [{ role: "user", content: "Remove it." }];
  const first = await ai6.generateText({ ...settings, messages });
  const request = first.content.find((part) => part.type === "tool-approval-request");
  const { approvalId } = request!;
  messages.push(...first.response.messages, {
    role: "tool",
    content: [{ type: "tool-approval-response", approvalId, approved, reason: "not today" }],
  });
  expect((await ai6.generateText({ ...settings, messages })).text).toBe(told);
  expect(sessionsOf(stage)).toBe(1);
  await expectNothingLeft(stage);
});

test("in AI SDK 6 an abort while a tool runs ends the session", async () => {
  const stage = await stageOf({ tools: call("slow") });
  const abort = new AbortController();
  const execute = async (): Promise<string> => {
    abort.abort();
    await expectNothingLeft(stage);
    return "late";
  };
  const { fullStream } = ai6.streamText({
    model: providerOn(stage).v3(),
    tools: { slow: ai6.tool({ inputSchema, execute }) },
    stopWhen: ai6.stepCountIs(3),
    prompt: "Go.",
    abortSignal: abort.signal,
  });
  const parts: string[] = [];
  for await (const { type } of fullStream) parts.push(type);
  expect(parts).toContain("abort");
  expect(mainRequests(stage)).toHaveLength(1);
});
