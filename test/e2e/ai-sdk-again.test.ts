import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { APICallError } from "@ai-sdk/provider";
import { generateText, isStepCount, tool, wrapLanguageModel } from "ai";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { call, providerOn, sessionsOf, stageOf } from "../support/ai-stage.ts";
import { expectNothingLeft } from "../support/model-stage.ts";
import { mainRequests } from "../support/tool-stage.ts";

// The same call once more: what is a retry of it, and what only says the same.

const asking = (prompt: LanguageModelV4Prompt): LanguageModelV4CallOptions => ({
  prompt,
  tools: [{ type: "function", name: "weather", inputSchema: { type: "object", properties: {} } }],
});

test("a repeated step is streamed again from its beginning, also the first one, and nothing runs twice", async () => {
  const stage = await stageOf({ tools: call("weather", { city: "Berlin" }) });
  const model = providerOn(stage)("sonnet");
  const thrice = async (prompt: LanguageModelV4Prompt) => {
    const atOnce = await Promise.all([1, 2].map(() => model.doGenerate(asking(prompt))));
    const all = [...atOnce, await model.doGenerate(asking(prompt))];
    expect(new Set(all.map(({ content }) => JSON.stringify(content))).size).toBe(1);
    return all[0]!.content;
  };
  const first: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "Go." }] }];
  const used = (await thrice(first)).find((part) => part.type === "tool-call")!;
  const { toolCallId, toolName } = used;
  const input = { city: "Berlin" };
  const output = { type: "json", value: [1] } as const;
  const second: LanguageModelV4Prompt = [
    ...first,
    { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] },
  ];
  expect(await thrice(second)).toEqual([{ type: "text", text: "[1]" }]);
  // Known by the calls that it answers, also as another object.
  expect(await thrice(structuredClone(second))).toEqual([{ type: "text", text: "[1]" }]);
  expect(mainRequests(stage)).toHaveLength(2);
  await expectNothingLeft(stage);
});

test("the AI SDK's own retries are attached; a prompt that says the same is a request of its own", async () => {
  const stage = await stageOf({ tools: call("weather") }, { text: "Sunny." }, { text: "Another." });
  let lost = 0;
  const model = wrapLanguageModel({
    model: providerOn(stage)(),
    middleware: {
      specificationVersion: "v4",
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
  const execute = vi.fn<() => string>(() => "sunny");
  const tools = { weather: tool({ inputSchema: z.object({}), execute }) };
  const settings = { tools, stopWhen: isStepCount(3), prompt: "Go." };
  expect((await generateText({ model, ...settings })).text).toBe("Sunny.");
  expect([lost, execute.mock.calls.length]).toEqual([4, 1]);
  expect(mainRequests(stage)).toHaveLength(2);
  expect((await generateText({ model, ...settings })).text).toBe("Another.");
  expect(sessionsOf(stage)).toBe(2);
});

const request = (requestId: string, text = "Count."): LanguageModelV4CallOptions => ({
  prompt: [{ role: "user", content: [{ type: "text", text }] }],
  providerOptions: { "claude-code": { requestId } },
});

async function textOf(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<string> {
  let text = "";
  for await (const part of stream) if (part.type === "text-delta") text += part.delta;
  return text;
}

test("under an id of the caller's, a request is one request until it fails", async () => {
  const stage = await stageOf(
    { text: "One two", delay_ms: 1_000 },
    { fault: { kind: "http", status: 403 } },
    { text: "At last." },
    { text: "Other." },
  );
  const model = providerOn(stage)();
  const words = async (options: LanguageModelV4CallOptions): Promise<unknown> =>
    (await model.doGenerate(options)).content;
  const abort = new AbortController();
  const first = await model.doStream({ ...request("a"), abortSignal: abort.signal });
  const second = await model.doStream(request("a"));
  const third = await model.doStream(request("a"));
  // Who asked first gives up, and another leaves; it goes on for the last.
  abort.abort();
  await expect(textOf(first.stream)).rejects.toThrow("aborted");
  await second.stream.cancel();
  expect(await textOf(third.stream)).toBe("One two");
  expect(await words(request("a"))).toEqual([{ type: "text", text: "One two" }]);
  expect(mainRequests(stage)).toHaveLength(1);
  await expect(words(request("b"))).rejects.toMatchObject({ code: "authentication_failed" });
  expect(await words(request("b"))).toEqual([{ type: "text", text: "At last." }]);
  expect(await words(request("b", "Something else."))).toEqual([{ type: "text", text: "Other." }]);
  expect(sessionsOf(stage)).toBe(4);
  await expectNothingLeft(stage);
});
