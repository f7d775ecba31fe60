import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ModelMessage } from "ai";
import { generateText, isStepCount, streamText, tool } from "ai";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { ClaudeCodeSettings, ModelEvent } from "../../src/model/index.ts";
import { ClaudeCodeError, defineTool } from "../../src/model/index.ts";
import { ensureWatchdog } from "../../src/proc/watchdog.ts";
import type { AnswerInput } from "../../src/rehearsal/answer-schema.ts";
import { call, providerOn, sessionsOf, stageOf } from "../support/ai-stage.ts";
import { expectNothingOfSessionsLeft, modelOn } from "../support/model-stage.ts";
import type { Stage } from "../support/rehearsed.ts";
import { cliPidOf, isRunning, processesOf } from "../support/stage-processes.ts";
import { mainRequests, transports } from "../support/tool-stage.ts";

// `kill -9` of the CLI in each phase of a request: a typed error, and nothing left behind.

interface Phase {
  name: string;
  answer: AnswerInput;
  /** The session is in the phase, by what it told last. */
  due: (stage: Stage, last: ModelEvent["type"] | undefined) => boolean;
}

const runForever = { command: "touch running; tail -f /dev/null", timeout: 600_000 };

const phases: Phase[] = [
  {
    name: "before its first word",
    answer: { text: "Never.", delay_ms: 60_000 },
    due: (stage) => mainRequests(stage).length > 0,
  },
  {
    name: "in the middle of an answer",
    answer: { text: "It begins", delta_chars: 2, delta_delay_ms: 300 },
    due: (_stage, last) => last === "text_delta",
  },
  {
    name: "while a tool of Claude Code runs",
    answer: { tools: [{ name: "Bash", input: runForever }] },
    due: ({ cwd }) => existsSync(join(cwd, "running")),
  },
];

/** It has told nothing yet, not even its session's id. */
const starting: Phase = {
  name: "at its start",
  answer: { text: "Never." },
  due: (stage, last) => last === undefined && isRunning(stage),
};

const ended: Phase = {
  name: "after the result",
  answer: { text: "Done." },
  due: (_stage, last) => last === "turn_ended",
};

/** Kills the CLI of the stage in the phase. Is to hear what its session tells. */
function killIn({ due }: Phase, stage: Stage) {
  const gone = Promise.withResolvers<void>();
  let last: ModelEvent["type"] | undefined;
  let killed = false;
  const look = (): void => {
    if (killed || !due(stage, last)) return;
    killed = true;
    process.kill(cliPidOf(stage), "SIGKILL");
  };
  const looking = setInterval(look, 20);
  onTestFinished(() => clearInterval(looking));
  const onMessage = ({ type }: ModelEvent): void => {
    last = type;
    look();
    if (type === "closed") gone.resolve();
  };
  return { onMessage, gone: gone.promise };
}

// One for the whole process, which stays.
beforeAll(ensureWatchdog);

/** Of this process: to the CLI, to bridges, to the rehearsal. */
const openSockets = (): number =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith("socket:");
    } catch {
      return false;
    }
  }).length;

async function expectGone(stage: Stage, socketsBefore: number): Promise<void> {
  await expectNothingOfSessionsLeft(stage);
  await expect.poll(openSockets, { timeout: 20_000 }).toBeLessThanOrEqual(socketsBefore);
}

const killed = {
  code: "cli_exited",
  retryable: true,
  data: { signal: "SIGKILL", session_id: expect.stringMatching(/^[\da-f-]{36}$/) },
  hint: expect.stringContaining("Send the"),
};

const killedAtStart = {
  ...killed,
  data: { exit_code: null, signal: "SIGKILL" },
  hint: expect.stringContaining("nothing was done. Send the"),
};

describe("a CLI that is killed in a request of ClaudeCodeModel", () => {
  const held: Phase = {
    name: "while a tool of the caller runs",
    answer: { tools: call("wait") },
    due: (_stage, last) => last === "tool_use",
  };

  const wait = defineTool({
    name: "wait",
    description: "Waits.",
    input: z.object({}),
    handler: (_args, { signal }) => delay(60_000, undefined, { signal }),
  });

  const each = transports.flatMap((transport) =>
    [starting, ...phases, held].map((phase) => ({ phase, name: phase.name, transport })),
  );

  test.each(each)(
    "$name, over $transport, fails it with a typed error",
    async ({ phase, transport }) => {
      const stage = await stageOf(phase.answer);
      const sockets = openSockets();
      const model = modelOn(stage, { permission: "allow", timeoutMs: 0 });
      model.setAgentToolsets([wait], { transport });
      const request = model.request("Go.", { onMessage: killIn(phase, stage).onMessage });
      await expect(request).rejects.toThrow(ClaudeCodeError);
      await expect(request).rejects.toMatchObject(phase === starting ? killedAtStart : killed);
      await expectGone(stage, sockets);
    },
  );

  test(`${ended.name} changes nothing: it has come`, async () => {
    const stage = await stageOf(ended.answer);
    const sockets = openSockets();
    const model = modelOn(stage);
    model.setAgentToolsets([wait]);
    const { onMessage } = killIn(ended, stage);
    expect((await model.request("Go.", { onMessage })).text).toBe("Done.");
    await expectGone(stage, sockets);
  });
});

describe("a CLI that is killed in a conversation of the AI SDK", () => {
  // Over `sdk` by default: the caller's tools are held in this process, without a bridge.
  const settings: ClaudeCodeSettings = { builtInTools: ["Bash"], permission: "allow" };
  const ask = tool({ inputSchema: z.object({}), outputSchema: z.string() });

  test.each([starting, ...phases])("$name fails the step with a typed error", async (phase) => {
    const stage = await stageOf(phase.answer);
    const sockets = openSockets();
    const { onMessage } = killIn(phase, stage);
    const errors: unknown[] = [];
    const result = streamText({
      model: providerOn(stage, { ...settings, transport: "stdio", onMessage })(),
      tools: { ask },
      prompt: "Go.",
      onError: ({ error }) => void errors.push(error),
    });
    await result.consumeStream();
    expect(errors).toMatchObject([phase === starting ? killedAtStart : killed]);
    expect(errors[0]).toBeInstanceOf(ClaudeCodeError);
    await expectGone(stage, sockets);
  });

  test("while it waits for a result fails the next step once; then a new session has it all", async () => {
    const stage = await stageOf({ text: "A moment.", tools: call("ask") });
    const sockets = openSockets();
    const { onMessage, gone } = killIn({ ...ended, due: () => false }, stage);
    const model = providerOn(stage, { ...settings, onMessage })();
    const messages: ModelMessage[] = [{ role: "user", content: "Ask somebody." }];
    const first = await generateText({ model, tools: { ask }, messages });
    process.kill(cliPidOf(stage), "SIGKILL");
    await gone;
    await expectGone(stage, sockets);
    const [{ toolCallId, toolName }] = first.toolCalls as [(typeof first.toolCalls)[number]];
    const output = { type: "text", value: "the red one" } as const;
    const content = [{ type: "tool-result", toolCallId, toolName, output } as const];
    messages.push(...first.responseMessages, { role: "tool", content });
    const next = generateText({ model, tools: { ask }, messages });
    await expect(next).rejects.toThrow("The session that waited for these results is gone.");
    await expect(next).rejects.toMatchObject(killed);
    expect(processesOf(stage)).toEqual([]);
    stage.rehearsal.setScript(() => ({ text: "Taken up." }));
    const { text } = await generateText({ model, tools: { ask }, messages });
    expect(text).toBe("Taken up.");
    expect(sessionsOf(stage)).toBe(2);
    const told = JSON.stringify(mainRequests(stage).at(-1)!.body!.messages);
    for (const words of ["Ask somebody.", "A moment.", "the red one"])
      expect(told).toContain(words);
    await expectGone(stage, sockets);
  });

  test.each(transports)(
    "in the step after a held call, over %s: the run fails",
    async (transport) => {
      const stage = await stageOf({ tools: call("now") }, { text: "Never.", delay_ms: 60_000 });
      const sockets = openSockets();
      const later: Phase = { ...ended, due: () => mainRequests(stage).length === 2 };
      const { onMessage } = killIn(later, stage);
      const run = generateText({
        model: providerOn(stage, { ...settings, transport, onMessage })(),
        tools: { now: tool({ inputSchema: z.object({}), execute: () => "a result" }) },
        stopWhen: isStepCount(3),
        prompt: "Go.",
      });
      await expect(run).rejects.toMatchObject(killed);
      expect(mainRequests(stage)[1]!.new_tool_results).toMatchObject([{ text: "a result" }]);
      await expectGone(stage, sockets);
    },
  );

  test.each([
    ["and is missed at once", true, "stdio"],
    ["and is not missed yet", false, "sdk"],
  ] as const)(
    "while the AI SDK runs a tool, %s: the run fails",
    async (_name, isMissed, transport) => {
      const stage = await stageOf({ tools: call("wait") });
      const sockets = openSockets();
      const { onMessage, gone } = killIn({ ...ended, due: () => false }, stage);
      const execute = async (): Promise<string> => {
        process.kill(cliPidOf(stage), "SIGKILL");
        if (isMissed) await gone;
        return "a result";
      };
      const run = generateText({
        model: providerOn(stage, { ...settings, transport, onMessage })(),
        tools: { wait: tool({ inputSchema: z.object({}), execute }) },
        stopWhen: isStepCount(3),
        prompt: "Go.",
      });
      await expect(run).rejects.toMatchObject(killed);
      await expectGone(stage, sockets);
    },
  );

  test(`${ended.name} changes nothing: it has come`, async () => {
    const stage = await stageOf(ended.answer);
    const sockets = openSockets();
    const { onMessage } = killIn(ended, stage);
    const model = providerOn(stage, { ...settings, onMessage })();
    expect((await generateText({ model, tools: { ask }, prompt: "Go." })).text).toBe("Done.");
    await expectGone(stage, sockets);
  });
});
