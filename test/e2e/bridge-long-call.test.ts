import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/bridge/index.ts";
import { lastResults, playWithTools, transports } from "../support/tool-stage.ts";

const SECONDS = 90;

const brew = defineTool({
  name: "brew",
  description: "Brews tea, which takes its time.",
  input: z.object({}),
  handler: async (_args, { progress, signal }) => {
    for (let second = 0; second < SECONDS; second += 5) {
      progress({ progress: second, total: SECONDS, message: `${SECONDS - second} s to go` });
      await delay(5_000, undefined, { signal });
    }
    return "Tea is ready.";
  },
});

test(
  `a call of ${SECONDS} s with progress succeeds, over each transport`,
  { timeout: 2 * SECONDS * 1_000 },
  async () => {
    const sessions = transports.map(async (transport) => {
      const { stage, play } = await playWithTools(transport, [brew], {
        rules: [
          { when: { user: "tea" }, tools: [{ name: "mcp__shop__brew" }] },
          { when: { tool_result: "mcp__shop__brew" }, text: "Here you are." },
        ],
      });
      await play.ask("tea, please", (SECONDS + 60) * 1_000);
      return lastResults(stage);
    });
    const tea = [{ text: "Tea is ready.", is_error: false }];
    expect(await Promise.all(sessions)).toEqual([tea, tea]);
  },
);
