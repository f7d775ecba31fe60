import { setTimeout as delay } from "node:timers/promises";
import type { ModelMessage } from "ai";
import { generateText, tool } from "ai";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/model/index.ts";
import { call, providerOn, sessionsOf, stageOf } from "../support/ai-stage.ts";
import { expectNothingLeft, modelOn } from "../support/model-stage.ts";
import { transports } from "../support/tool-stage.ts";

// A tool that waits for a person. All clocks of this process are set forward by an hour while it does: those of
// the provider, the engine, the Agent SDK and the tool host. Claude Code's own clock is not, see docs/model.md.

afterEach(() => void vi.useRealTimers());

/** From now on the time can be set forward; it passes as ever besides. */
const takeClock = (): void =>
  void vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"],
    shouldAdvanceTime: true,
  });
const passHour = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(61 * 60_000));

test.each(transports)("over %s, a call of the AI SDK is held for an hour", async (transport) => {
  takeClock();
  const stage = await stageOf({ tools: call("ask") });
  const claude = providerOn(stage, { transport });
  const ask = tool({ inputSchema: z.object({}), outputSchema: z.string() });
  const messages: ModelMessage[] = [{ role: "user", content: "Ask somebody." }];
  const first = await generateText({ model: claude(), tools: { ask }, messages });
  await passHour();
  const [{ toolCallId, toolName }] = first.toolCalls as [(typeof first.toolCalls)[number]];
  const output = { type: "text", value: "an hour later" } as const;
  const content = [{ type: "tool-result", toolCallId, toolName, output } as const];
  messages.push(...first.responseMessages, { role: "tool", content });
  const second = await generateText({ model: claude(), tools: { ask }, messages });
  expect(second.text).toBe("an hour later");
  expect(sessionsOf(stage)).toBe(1);
  await expectNothingLeft(stage);
});

test.each([
  ["waits as long as its request may", 0, "an hour later"],
  ["is ended with its request by the time-out", undefined, "timeout"],
])("a tool of ClaudeCodeModel %s", async (_name, timeoutMs, told) => {
  takeClock();
  const stage = await stageOf({ tools: call("ask") });
  const called = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  const ask = defineTool({
    name: "ask",
    description: "Asks.",
    input: z.object({}),
    handler: () => {
      called.resolve();
      return answer.promise;
    },
  });
  const model = modelOn(stage, timeoutMs === undefined ? {} : { timeoutMs });
  model.setAgentToolsets([ask]);
  const request = model.request("Ask somebody.").then(
    ({ text }) => text,
    ({ code }: { code: string }) => code,
  );
  await called.promise;
  await passHour();
  answer.resolve("an hour later");
  expect(await request).toBe(told);
  await expectNothingLeft(stage);
});

const minutes = Number(process.env["MODEL_HOLD_MINUTES"] ?? 0);

/** Claude Code looks every 30 s whether a call has been silent for longer than this; by default for 30 minutes. */
const impatient = { CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: "15000" };

// By hand: MODEL_HOLD_MINUTES=61, or 2, which shows as much because of the limit.
test.runIf(minutes > 0).each(transports)(
  "over %s, Claude Code's own clock ends no silent call either",
  { timeout: (minutes + 1) * 60_000 },
  async (transport) => {
    const stage = await stageOf({ tools: call("ask") });
    const ask = defineTool({
      name: "ask",
      description: "Asks.",
      input: z.object({}),
      handler: () => delay(minutes * 60_000, "later"),
    });
    const model = modelOn(stage, { timeoutMs: 0, env: impatient });
    model.setAgentToolsets([ask], { transport });
    expect((await model.request("Ask somebody.")).text).toBe("later");
  },
);
