import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/bridge/index.ts";
import { lastResults, playWithTools, transports } from "../support/tool-stage.ts";

const SECONDS = 90;

/**
 * Claude Code looks every 30 s whether a call has been silent for longer than this; by default for 30 minutes. So
 * 90 s of silence are too long, and signs of life every 10 s are enough, also on a machine that is busy.
 */
const impatient = { CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: "40000" };

const sideBySide = { readOnlyHint: true };

const brew = defineTool({
  name: "brew",
  description: "Brews tea, which takes its time.",
  input: z.object({}),
  annotations: sideBySide,
  handler: async (_args, { progress, signal }) => {
    for (let second = 0; second < SECONDS; second += 5) {
      progress({ progress: second, total: SECONDS, message: `${SECONDS - second} s to go` });
      await delay(5_000, undefined, { signal });
    }
    return "Tea is ready.";
  },
});

const bake = defineTool({
  name: "bake",
  description: "Bakes a cake, and does not say a word meanwhile.",
  input: z.object({}),
  annotations: sideBySide,
  handler: (_args, { signal }) => delay(SECONDS * 1_000, "The cake is ready.", { signal }),
});

test(
  `calls of ${SECONDS} s succeed, with progress and without a word, however impatient Claude Code is`,
  { timeout: 2 * SECONDS * 1_000 },
  async () => {
    const sessions = transports.map(async (transport) => {
      const script = {
        rules: [
          {
            when: { user: "tea" },
            tools: [{ name: "mcp__shop__brew" }, { name: "mcp__shop__bake" }],
          },
          { when: { tool_result: "/./" }, text: "Here you are." },
        ],
      };
      const { stage, play } = await playWithTools(transport, [brew, bake], script, impatient);
      await play.ask("tea and cake, please", (SECONDS + 60) * 1_000);
      return lastResults(stage);
    });
    const both = ["Tea is ready.", "The cake is ready."].map((text) => ({ text, is_error: false }));
    expect(await Promise.all(sessions)).toEqual([both, both]);
  },
);
