import type { ModelMessage } from "ai";
import { generateText, isStepCount, streamText, tool } from "ai";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { ClaudeCodeError } from "../../src/model/index.ts";
import type { AnswerInput } from "../../src/rehearsal/answer-schema.ts";
import { call, providerOn, results, stageOf } from "../support/ai-stage.ts";
import { expectNothingLeft } from "../support/model-stage.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { isRunning, processesOf } from "../support/stage-processes.ts";
import { mainRequests } from "../support/tool-stage.ts";

// How steps end that do not end well, and what is left behind: nothing.

const stopWhen = isStepCount(6);

/** What the caller sends when the call is answered after all. */
function answered({
  toolCalls: [used],
  responseMessages,
}: {
  toolCalls: { toolCallId: string; toolName: string }[];
  responseMessages: ModelMessage[];
}): ModelMessage[] {
  const { toolCallId, toolName } = used!;
  const output = { type: "text", value: "a day later" } as const;
  const content = [{ type: "tool-result", toolCallId, toolName, output } as const];
  const asked = { role: "user", content: "Ask somebody." } as const;
  return [asked, ...responseMessages, { role: "tool", content }];
}

describe("calls that nobody answers in time", () => {
  const ask = tool({ inputSchema: z.object({}), outputSchema: z.string() });

  test("are dropped. A late answer is refused once; sent again, it begins a new session", async () => {
    const stage = await stageOf({ text: "A moment.", tools: call("ask") });
    const claude = providerOn(stage, { holdMs: 300 });
    const settings = { model: claude(), tools: { ask } };
    const first = await generateText({ ...settings, prompt: "Ask somebody." });
    await expectNothingLeft(stage);
    const late = generateText({ ...settings, messages: answered(first) });
    await expect(late).rejects.toThrow(ClaudeCodeError);
    await expect(late).rejects.toMatchObject({
      code: "timeout",
      data: { timeout_seconds: 0.3, session_id: expect.stringMatching(/^[\da-f-]{36}$/) },
      hint: expect.stringContaining("Send the same messages again"),
    });
    expect(mainRequests(stage)).toHaveLength(1);
    await expectNothingLeft(stage);
    stage.rehearsal.setScript(() => ({ text: "Thank you." }));
    const second = await generateText({ ...settings, messages: answered(first) });
    expect(second.text).toBe("Thank you.");
    const anew = expect.stringContaining("does not wait any more: a new session began");
    expect(first.warnings).toEqual([]);
    expect(second.warnings).toEqual([{ type: "other", message: anew }]);
    const told = JSON.stringify(mainRequests(stage).at(-1)!.body!.messages);
    for (const words of ["Ask somebody.", "A moment.", "[called ask", "a day later"]) {
      expect(told).toContain(words);
    }
  });

  test("are dropped when too many wait, the oldest first, and when the provider is closed", async () => {
    const [one, two] = [
      await stageOf({ tools: call("ask") }, { tools: call("ask") }),
      await stageOf({ tools: call("ask") }),
    ];
    const claude = providerOn(one, { maxHeld: 1 });
    const settings = { model: claude(), tools: { ask } };
    const first = await generateText({ ...settings, prompt: "Ask somebody." });
    expect(processesOf(one)).not.toEqual([]);
    await generateText({ ...settings, prompt: "Ask somebody." });
    await expect.poll(() => processesOf(one).length, { timeout: 20_000 }).toBe(1);
    const late = generateText({ ...settings, messages: answered(first) });
    await expect(late).rejects.toMatchObject({ code: "aborted", data: { max_held: 1 } });
    await claude.close();
    await expectNothingLeft(one);
    await using closing = providerOn(two);
    await generateText({ model: closing(), tools: { ask }, prompt: "Ask." });
    await closing.close();
    await expectNothingLeft(two);
  });
});

interface Phase {
  name: string;
  answers: AnswerInput[];
  transport: "sdk" | "stdio";
  /** The step is in the phase, as far as it can be seen from outside. */
  isIn?: (stage: Stage) => boolean;
  asked: number;
}

const slow: AnswerInput = { text: "Never.", delay_ms: 60_000 };

const phases: Phase[] = [
  { name: "at its start", answers: [slow], transport: "stdio", isIn: isRunning, asked: 0 },
  {
    name: "before the first word",
    answers: [slow],
    transport: "sdk",
    isIn: (stage) => mainRequests(stage).length === 1,
    asked: 1,
  },
  {
    name: "in the middle of an answer",
    answers: [{ text: "It begins", delta_chars: 2, delta_delay_ms: 300 }],
    transport: "sdk",
    asked: 1,
  },
  { name: "while a tool runs", answers: [{ tools: call("slow") }], transport: "sdk", asked: 1 },
  { name: "while a tool runs", answers: [{ tools: call("slow") }], transport: "stdio", asked: 1 },
  {
    name: "in the second step",
    answers: [{ tools: call("quick") }, slow],
    transport: "stdio",
    isIn: (stage) => mainRequests(stage).length === 2,
    asked: 2,
  },
];

describe("a step that is cut off", () => {
  test.each(phases)(
    "by an abort $name, over $transport, ends as the AI SDK ends it",
    async (phase) => {
      const stage = await stageOf(...phase.answers);
      const abort = new AbortController();
      const errors: unknown[] = [];
      const inputSchema = z.object({});
      const result = streamText({
        model: providerOn(stage, { transport: phase.transport })("sonnet"),
        tools: {
          quick: tool({ inputSchema, execute: () => "quick" }),
          slow: tool({
            inputSchema,
            execute: async () => {
              abort.abort();
              await vi.waitUntil(() => processesOf(stage).length === 0, { timeout: 20_000 });
              return "late";
            },
          }),
        },
        stopWhen,
        prompt: "Go.",
        abortSignal: abort.signal,
        onError: ({ error }) => void errors.push(error),
      });
      const { isIn } = phase;
      const cut = async (): Promise<void> => {
        if (!isIn) return;
        await vi.waitUntil(() => isIn(stage), { timeout: 60_000, interval: 10 });
        abort.abort();
      };
      const cutting = cut();
      const parts: string[] = [];
      for await (const { type } of result.stream) {
        parts.push(type);
        if (type === "text-delta" && !isIn) abort.abort();
      }
      await cutting;
      expect(parts).toContain("abort");
      expect(errors).toEqual([]);
      await expectNothingLeft(stage);
      expect(mainRequests(stage)).toHaveLength(phase.asked);
    },
  );

  test.each(["sdk", "stdio"] as const)(
    "by an abort while its call has no answer, over %s, leaves nothing",
    async (transport) => {
      const stage = await stageOf({ tools: call("ask") });
      const abort = new AbortController();
      const ask = tool({ inputSchema: z.object({}), outputSchema: z.string() });
      const model = providerOn(stage, { transport })();
      await generateText({ model, tools: { ask }, prompt: "Go.", abortSignal: abort.signal });
      expect(processesOf(stage)).not.toEqual([]);
      abort.abort();
      await expectNothingLeft(stage);
    },
  );

  test("by a reader that leaves ends its session", async () => {
    const stage = await stageOf({ text: "On and on", delta_chars: 1, delta_delay_ms: 60_000 });
    const prompt = [{ role: "user", content: [{ type: "text", text: "Go." }] }] as const;
    const { stream } = await providerOn(stage)().doStream({
      prompt: structuredClone(prompt) as never,
    });
    for await (const part of stream) if (part.type === "text-delta") break;
    await expectNothingLeft(stage);
    expect(mainRequests(stage)).toHaveLength(1);
  });
});

const PARALLEL = 20;

test(`${PARALLEL} conversations at once, each with tools of its own, never meet`, async () => {
  const stage = await setStage({ rules: [] });
  stage.rehearsal.setScript((request) => {
    const tools = (request.body.tools ?? []).map(({ name }) => name);
    const mine = tools.filter((name) => name.startsWith("mcp__"));
    return request.newToolResults.length > 0
      ? { text: results(request) }
      : { tools: mine.map((name) => ({ name })) };
  });
  const claude = providerOn(stage);
  const numbers = Array.from({ length: PARALLEL }, (_, n) => n);
  const answers = await Promise.all(
    numbers.map(async (n) => {
      const tools = {
        [`tool_${n}`]: tool({ inputSchema: z.object({}), execute: () => `of ${n}` }),
      };
      return (await generateText({ model: claude(), tools, stopWhen, prompt: "Go." })).text;
    }),
  );
  expect(answers).toEqual(numbers.map((n) => `of ${n}`));
  await expectNothingLeft(stage);
});
