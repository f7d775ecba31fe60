import type { ModelMessage } from "ai";
import { generateText, isStepCount, streamText, tool } from "ai";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { AnswerInput } from "../../src/rehearsal/answer-schema.ts";
import { call, providerOn, results, stageOf } from "../support/ai-stage.ts";
import { cliOf, expectNothingLeft } from "../support/model-stage.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { processesOf } from "../support/stage-processes.ts";
import { mainRequests } from "../support/tool-stage.ts";

// How steps end that do not end well, and what is left behind: nothing.

const stopWhen = isStepCount(6);

describe("calls that nobody answers in time", () => {
  const ask = tool({ inputSchema: z.object({}), outputSchema: z.string() });

  test("are let go, and an answer that comes after all goes on with the history", async () => {
    const stage = await stageOf({ text: "A moment.", tools: call("ask") });
    const claude = providerOn(stage, { holdMs: 300 });
    const messages: ModelMessage[] = [{ role: "user", content: "Ask somebody." }];
    const first = await generateText({ model: claude(), tools: { ask }, messages });
    await expectNothingLeft(stage);
    stage.rehearsal.setScript(() => ({ text: "Thank you." }));
    const [{ toolCallId, toolName }] = first.toolCalls as [(typeof first.toolCalls)[number]];
    messages.push(...first.responseMessages, {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId,
          toolName,
          output: { type: "text", value: "an hour later" },
        },
      ],
    });
    const second = await generateText({ model: claude(), tools: { ask }, messages });
    expect(second.text).toBe("Thank you.");
    const told = JSON.stringify(mainRequests(stage).at(-1)!.body!.messages);
    for (const words of ["Ask somebody.", "A moment.", "[called ask", "an hour later"]) {
      expect(told).toContain(words);
    }
  });

  test("are let go when too many wait, the oldest first, and when the provider is closed", async () => {
    const [one, two] = [
      await stageOf({ tools: call("ask") }),
      await stageOf({ tools: call("ask") }),
    ];
    const claude = providerOn(one, { maxHeld: 1 });
    await generateText({ model: claude(), tools: { ask }, prompt: "Ask." });
    expect(processesOf(one)).not.toEqual([]);
    await generateText({ model: claude(), tools: { ask }, prompt: "Ask." });
    await expect.poll(() => processesOf(one).length, { timeout: 20_000 }).toBe(1);
    await claude.close();
    await expectNothingLeft(one);
    await using closing = providerOn(two);
    await generateText({ model: closing(), tools: { ask }, prompt: "Ask." });
    await closing.close();
    await expectNothingLeft(two);
  });
});

type Phase = [name: string, answer: AnswerInput, when: "text" | "execute" | "start"];

const phases: Phase[] = [
  ["before the first word", { text: "Never.", delay_ms: 60_000 }, "start"],
  [
    "in the middle of an answer",
    { text: "It begins", delta_chars: 2, delta_delay_ms: 300 },
    "text",
  ],
  ["while a tool runs", { tools: call("slow") }, "execute"],
];

/** Starts a stream and calls `cut` when it has come to the phase. */
async function cutAt(phase: Phase, cut: (stage: Stage, abort: AbortController) => void) {
  const stage = await stageOf(phase[1]);
  const abort = new AbortController();
  const running = Promise.withResolvers<void>();
  const errors: unknown[] = [];
  const result = streamText({
    model: providerOn(stage)("sonnet"),
    tools: {
      slow: tool({
        inputSchema: z.object({}),
        execute: async () => {
          running.resolve();
          if (phase[2] === "execute") cut(stage, abort);
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
  if (phase[2] === "start") {
    await vi.waitUntil(() => mainRequests(stage).length === 1, { timeout: 20_000 });
    cut(stage, abort);
  }
  const parts: string[] = [];
  for await (const part of result.stream) {
    parts.push(part.type);
    if (part.type === "text-delta" && phase[2] === "text" && !abort.signal.aborted) {
      if (parts.filter((type) => type === "text-delta").length === 1) cut(stage, abort);
    }
  }
  await expectNothingLeft(stage);
  return { parts, errors, stage };
}

describe("a step that is cut off", () => {
  test.each(phases)("by an abort %s ends as the AI SDK ends it", async (...phase) => {
    const { parts, errors } = await cutAt(phase, (_stage, abort) => abort.abort());
    expect(parts).toContain("abort");
    expect(errors).toEqual([]);
  });

  test.each(phases.slice(0, 2))("by a kill of the CLI %s is a typed error", async (...phase) => {
    const { errors } = await cutAt(phase, (stage) => process.kill(cliOf(stage), "SIGKILL"));
    expect(errors).toMatchObject([{ code: "cli_exited", data: { signal: "SIGKILL" } }]);
  });

  test("by a kill while a tool runs costs nothing: a new session gets the history", async () => {
    const stage = await stageOf({ tools: call("slow") });
    const closed = Promise.withResolvers<void>();
    const slow = tool({
      inputSchema: z.object({}),
      execute: async () => {
        stage.rehearsal.setScript(() => ({ text: "Taken up." }));
        process.kill(cliOf(stage), "SIGKILL");
        await closed.promise;
        return "late";
      },
    });
    // The step is over when the tools of generateText run: the session only waits.
    const model = providerOn(stage, {
      onMessage: ({ type }) => type === "closed" && closed.resolve(),
    })();
    const { text } = await generateText({ model, tools: { slow }, stopWhen, prompt: "Go." });
    expect(text).toBe("Taken up.");
    expect(JSON.stringify(mainRequests(stage).at(-1)!.body!.messages)).toContain("late");
    await expectNothingLeft(stage);
  });

  test("by a reader who leaves ends its session", async () => {
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
