import { expect, test, vi } from "vitest";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";
import { leaveMark, timesRun } from "../support/requests.ts";
import { cliPidOf } from "../support/stage-processes.ts";

const script = {
  rules: [
    { when: { tool_result: "Bash" }, text: "It is done." },
    { when: { user: "work" }, tools: [leaveMark("one", "sleep 30")] },
    { when: { user: "tell" }, text: "A long story.", delta_chars: 1, delta_delay_ms: 500 },
    { text: "I am here." },
  ],
};

test("[SES-34] an aborted turn has its price, also without tokens; a turn that a kill cuts has none, and no later turn has it", async () => {
  const stage = await setStage(script);
  const talk = await Conversation.start(stage, { allowedTools: ["Bash"] });
  /** The price of one request to the model. */
  const { cost_usd: one } = await talk.ask("hello");
  const requests = (cost: number): number => Math.round(cost / one);
  expect(one).toBeGreaterThan(0);

  const story = await talk.say("tell me");
  await talk.until("text_delta", { since: talk.told.length });
  await talk.send({ type: "abort" });
  const aborted = await talk.endOf(story);
  expect(aborted).toMatchObject({ stop_reason: "aborted", usage: { output_tokens: 0 } });
  expect(requests(aborted.cost_usd)).toBe(1);

  const work = await talk.say("work");
  await vi.waitFor(() => expect(timesRun(stage, "one")).toBe(1), 20_000);
  await talk.send({ type: "abort" });
  const inTool = await talk.endOf(work);
  expect(inTool.usage.output_tokens).toBeGreaterThan(0);
  expect(requests(inTool.cost_usd)).toBe(1);

  // The interrupted tool's result comes with the next words.
  await talk.ask("hello");
  const again = await talk.say("work");
  await vi.waitFor(() => expect(timesRun(stage, "one")).toBe(2), 20_000);
  const since = talk.told.length;
  process.kill(cliPidOf(stage), "SIGKILL");
  const cut = await talk.until("done", { since });
  expect(cut).toMatchObject({ stop_reason: "cli_lost", cost_usd: 0 });
  expect(cut.usage.output_tokens).toBeGreaterThan(0);
  expect(requests((await talk.endOf(again)).cost_usd)).toBe(1);
  expect(requests((await talk.ask("hello")).cost_usd)).toBe(1);
});
