import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { StdioServerConfig } from "../../src/bridge/index.ts";
import { defineTool } from "../../src/bridge/index.ts";
import { start } from "../process/fixtures/net-start.ts";
import { failingTools, failures, otherFailures, withoutSizes } from "../support/failing-tools.ts";
import { Performance, setStage } from "../support/rehearsed.ts";
import { tempDir } from "../support/temp-dir.ts";
import { lastResults, playWithTools, transports } from "../support/tool-stage.ts";

const works = defineTool({
  name: "works",
  description: "Works.",
  input: z.object({}),
  handler: () => "It works.",
});

/** In one process nothing has to fit into a message. */
const failuresOver = {
  stdio: failures,
  sdk: failures.filter(({ name }) => name !== "huge"),
};

describe.each(transports)("over %s", (transport) => {
  test("each failure reaches the model as the text that the docs promise", async () => {
    const cases = failuresOver[transport];
    const { stage, play } = await playWithTools(transport, [works, ...failingTools], {
      rules: [
        ...cases.map(({ name, input = {} }) => ({
          when: { user: `try ${name}` },
          tools: [{ name: `mcp__shop__${name}`, input: input as never }],
        })),
        { when: { user: "go on" }, tools: [{ name: "mcp__shop__works" }] },
        { when: { tool_result: "/./" }, text: "I see." },
      ],
    });
    expect(cases.length).toBeGreaterThan(5);
    for (const { name, text } of cases) {
      expect(await play.ask(`try ${name}`)).toMatchObject({ text: "I see." });
      const [result] = lastResults(stage);
      expect({ ...result, text: withoutSizes(result!.text) }).toEqual({ text, is_error: true });
      await play.ask("go on");
      expect(lastResults(stage)).toEqual([{ text: "It works.", is_error: false }]);
    }
  });

  test("a call of a tool that was just removed fails with the list of tools that exist", async () => {
    const hide = defineTool({
      name: "hide",
      description: "Hides the other tools.",
      input: z.object({}),
      handler: () => host.filterTools(["hide"]),
    });
    const { stage, play, host } = await playWithTools(transport, [hide, works], {
      rules: [
        {
          when: { user: "both" },
          tools: [{ name: "mcp__shop__hide" }, { name: "mcp__shop__works" }],
        },
        { when: { tool_result: "/./" }, text: "I see." },
      ],
    });
    await play.ask("both");
    expect(lastResults(stage)).toEqual([
      { text: "(mcp__shop__hide completed with no output)", is_error: false },
      {
        text: otherFailures.gone,
        is_error: true,
      },
    ]);
  });

  test("a host that stops in mid-call says so, and so does each later call", async () => {
    const started = Promise.withResolvers<void>();
    const wait = defineTool({
      name: "wait",
      description: "Waits.",
      input: z.object({}),
      handler: () => {
        started.resolve();
        return new Promise(() => {});
      },
    });
    const { stage, play, host } = await playWithTools(transport, [wait], {
      rules: [
        { when: { user: "wait" }, tools: [{ name: "mcp__shop__wait" }] },
        { when: { tool_result: "/./" }, text: "I see." },
      ],
    });
    const turn = play.ask("wait");
    await started.promise;
    await host.stop();
    await turn;
    expect(lastResults(stage)).toEqual([{ text: otherFailures.stopped, is_error: true }]);
    await play.ask("wait again");
    const [later] = lastResults(stage);
    expect(later!.text).toMatch(
      /^IPCConnectionError: (Could not connect|The tool host shop is stop)/,
    );
  });
});

test("arguments that are too large for a message are refused before they are sent, and the next call works", async () => {
  const received: number[] = [];
  const take = defineTool({
    name: "take",
    description: "Takes a text.",
    input: z.object({ text: z.string() }),
    handler: ({ text }) => {
      received.push(text.length);
      return "Taken.";
    },
  });
  // Told of so many tokens, Claude Code would make the conversation smaller first.
  const usage = { input_tokens: 1, output_tokens: 1 };
  const calls = { huge: "x".repeat(11_000_000), small: "x" };
  const { stage, play } = await playWithTools("stdio", [take], {
    rules: [
      ...Object.entries(calls).map(([user, text]) => ({
        when: { user },
        tools: [{ name: "mcp__shop__take", input: { text } }],
        delta_chars: 1_000_000,
        usage,
      })),
      { when: { tool_result: "/./" }, text: "I see.", usage },
    ],
  });
  expect(await play.ask("huge")).toMatchObject({ text: "I see." });
  const [refused] = lastResults(stage);
  expect({ ...refused, text: withoutSizes(refused!.text) }).toEqual({
    text: otherFailures.tooLarge,
    is_error: true,
  });
  await play.ask("small");
  expect(lastResults(stage)).toEqual([{ text: "Taken.", is_error: false }]);
  expect(received).toEqual([1]);
});

test("a host that is killed in mid-call costs one call, and its successor serves the next", async () => {
  const directory = tempDir();
  const startProgram = async () => {
    const program = start("bridge-tool-host.ts", ["wait", directory]);
    return { ...program, config: JSON.parse(await program.nextLine()) as StdioServerConfig };
  };
  const stage = await setStage({
    rules: [
      { when: { user: "hang" }, tools: [{ name: "mcp__who__hang" }] },
      { when: { user: "who" }, tools: [{ name: "mcp__who__who" }] },
      { when: { tool_result: "/./" }, text: "I see." },
    ],
  });
  const first = await startProgram();
  expect(await first.nextLine()).toBe("ready");
  const play = new Performance(stage, { mcpServers: { who: first.config } });
  const turn = play.ask("hang");
  expect(await first.nextLine()).toBe("hanging");
  first.process.kill("SIGKILL");
  await turn;
  const [lost] = lastResults(stage);
  expect(lost).toMatchObject({ is_error: true });
  expect(lost!.text).toMatch(/^IPCConnectionError: .*may have run.*/);
  const second = await startProgram();
  await play.ask("who is there?");
  expect(lastResults(stage)).toEqual([{ text: String(second.process.pid), is_error: false }]);
});

/** The bridge process that a session has started for this host. */
function bridgeOf({ args: [program = "", socket = ""] }: StdioServerConfig): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const isBridge = (pid: string): boolean => {
    try {
      const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return args[0] === program && args[1] === socket;
    } catch {
      return false;
    }
  };
  const [pid, ...others] = pids.filter(isBridge);
  if (pid === undefined || others.length > 0) throw new Error("There is not one bridge process.");
  return Number(pid);
}

test.runIf(process.platform === "linux")(
  "a bridge that is killed in mid-call costs that call, and the session's next call works",
  async () => {
    const signals: AbortSignal[] = [];
    const hold = defineTool({
      name: "hold",
      description: "Never ends.",
      input: z.object({}),
      handler: (_args, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    const { stage, play, host } = await playWithTools("stdio", [hold, works], {
      rules: [
        { when: { user: "hold" }, tools: [{ name: "mcp__shop__hold" }] },
        { when: { user: "go on" }, tools: [{ name: "mcp__shop__works" }] },
        { when: { tool_result: "/./" }, text: "I see." },
      ],
    });
    const config = host.mcpServerConfig() as StdioServerConfig;
    const turn = play.ask("hold");
    await expect.poll(() => signals.length).toBe(1);
    const killed = bridgeOf(config);
    process.kill(killed, "SIGKILL");
    await turn;
    expect(lastResults(stage)).toEqual([{ text: "Connection closed", is_error: true }]);
    await expect.poll(() => signals[0]!.aborted).toBe(true);
    await play.ask("go on");
    expect(lastResults(stage)).toEqual([{ text: "It works.", is_error: false }]);
    expect(bridgeOf(config)).not.toBe(killed);
    expect(signals).toHaveLength(1);
  },
);
