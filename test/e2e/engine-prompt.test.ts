import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { StartOptions } from "../../src/engine/engine.ts";
import { modelRequests } from "../support/requests.ts";
import { Performance, setStage } from "../support/rehearsed.ts";

test.for<[string, (words: string) => Partial<StartOptions>]>([
  ["what is added to it", (words) => ({ appendSystemPrompt: words })],
  ["what stands in its place", (words) => ({ systemPrompt: words })],
])("a system prompt applies from the next start on: %s", async ([, prompt]) => {
  const stage = await setStage({ rules: [{ text: "Yes." }] });
  const sessionId = randomUUID();
  const play = async (options: Partial<StartOptions>): Promise<string> => {
    const life = new Performance(stage, options);
    life.say("Are you there?");
    await life.until("turn_ended");
    await life.engine.close();
    return JSON.stringify(modelRequests(stage).at(-1)?.body?.["system"]);
  };
  expect(await play({ sessionId, ...prompt("WORDS-OF-OLD") })).toContain("WORDS-OF-OLD");
  const next = await play({ resume: sessionId, ...prompt("WORDS-OF-NOW") });
  expect(next).toContain("WORDS-OF-NOW");
  expect(next).not.toContain("WORDS-OF-OLD");
});
