import { expect, test } from "vitest";
import { Conversation } from "../support/conversation.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { leaveMark, timesRun } from "../support/requests.ts";
import { cliPidOf } from "../support/stage-processes.ts";

const mark = (name: string) => `python3 -c "open('${name}', 'a').write('ran'), Bash, (1)"`;

const stageOf = (command: string): Promise<Stage> =>
  setStage({
    rules: [
      { when: { tool_result: { is_error: true } }, text: "Then not." },
      { when: { tool_result: "Bash" }, text: "It is done." },
      { when: { user: "mark" }, tools: [{ name: "Bash", input: { command } }] },
      { when: { user: "other" }, tools: [leaveMark("other")] },
      { text: "I am here." },
    ],
  });

async function grant(talk: Conversation, scope: "session" | "always"): Promise<void> {
  const id = await talk.say("mark");
  const { request_id } = await talk.until("approval_request");
  await talk.send({ type: "approve", request_id, scope });
  await talk.endOf(id);
}

async function killCli(talk: Conversation, stage: Stage): Promise<void> {
  const since = talk.told.length;
  process.kill(cliPidOf(stage), "SIGKILL");
  await talk.until("notice", { since, fits: ({ code }) => code === "cli_restarted" });
}

/** The granted call is not asked about, another one is. */
async function expectGranted(talk: Conversation, since = talk.told.length): Promise<void> {
  await talk.ask("mark");
  expect(talk.all("approval_request", since)).toEqual([]);
  const id = await talk.say("other");
  const { request_id } = await talk.until("approval_request", { since });
  await talk.send({ type: "deny", request_id });
  await talk.endOf(id);
}

test("a grant for a command with parentheses is as wide for the next CLI as it was, and no wider", async () => {
  const stage = await stageOf(mark("one"));
  const talk = await Conversation.start(stage);
  await grant(talk, "session");
  await killCli(talk, stage);
  await expectGranted(talk);
  await talk.session.close("shutdown");

  const again = await Conversation.start(stage);
  await expectGranted(again);
  expect(timesRun(stage, "other")).toBe(0);
});

test("a grant with scope always applies to the next CLI, though that does not read its settings file", async () => {
  const stage = await stageOf("git init two");
  const talk = await Conversation.start(stage, { settingSources: [] });
  await grant(talk, "always");
  await killCli(talk, stage);
  await expectGranted(talk);
  expect(timesRun(stage, "other")).toBe(0);
});
