import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { Conversation } from "../support/conversation.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { copiesInLast, leaveMark, timesRun } from "../support/requests.ts";
import { cliPidOf } from "../support/stage-processes.ts";

const script = {
  rules: [
    { when: { user: "make the mark" }, tools: [leaveMark("one")] },
    { when: { tool_result: "Bash" }, text: "It is done now.", delta_chars: 1, delta_delay_ms: 200 },
    { text: "I am here." },
  ],
};
const allowedTools = ["Bash"];

/** A session whose CLI has been told nothing yet: a new one, and those that go on. */
const surroundings: [string, (stage: Stage) => Promise<Conversation>][] = [
  ["in a new session", (stage) => Conversation.start(stage, { allowedTools })],
  [
    "in a session that is resumed",
    async (stage) => {
      await (await begun(stage)).session.close("shutdown");
      return Conversation.start(stage, { allowedTools });
    },
  ],
  [
    "after the CLI was killed",
    async (stage) => {
      const talk = await begun(stage);
      process.kill(cliPidOf(stage), "SIGKILL");
      await talk.until("notice", { fits: ({ code }) => code === "cli_restarted" });
      return talk;
    },
  ],
  [
    "in a copy",
    async (stage) => {
      const original = await begun(stage);
      const { session_id: resume } = original.session.status();
      await original.session.close("shutdown");
      const copy = { logName: "copy", sessionId: randomUUID(), origin: { resume, fork: true } };
      return Conversation.start(stage, { ...copy, allowedTools });
    },
  ],
];

async function begun(stage: Stage): Promise<Conversation> {
  const talk = await Conversation.start(stage, { allowedTools });
  await talk.ask("hello PROBE-1.");
  return talk;
}

test.each(surroundings)(
  "[SES-33] /clear as the first message of a CLI changes the session: %s",
  async (_where, start) => {
    const stage = await setStage(script);
    const talk = await start(stage);
    const before = talk.session.status().session_id;
    const since = talk.told.length;
    const cleared = await talk.say("/clear");
    await talk.endOf(cleared);
    const changes = talk.all("session_changed").filter(({ previous }) => previous !== undefined);
    expect(changes).toMatchObject([{ previous: before }]);
    const [changed] = changes;
    expect(talk.session.status().session_id).toBe(changed?.session_id);

    // The new session is the one that is looked into when the CLI dies: nothing runs twice.
    const work = await talk.say("make the mark PROBE-2.");
    const { turn_id } = await talk.until("tool_result");
    await talk.until("text_delta", { fits: (delta) => delta.turn_id === turn_id });
    process.kill(cliPidOf(stage), "SIGKILL");
    expect(await talk.endOf(work)).toMatchObject({ stop_reason: "completed" });
    const last = await talk.say("hello PROBE-3.");
    await talk.endOf(last);
    expect(timesRun(stage, "one")).toBe(1);
    expect(["PROBE-1.", "PROBE-2.", "PROBE-3."].map((text) => copiesInLast(stage, text))).toEqual([
      0, 1, 1,
    ]);
    expect(talk.all("message_seen", since).map(({ id }) => id)).toEqual([cleared, work, last]);
    expect(talk.session.status().session_id).toBe(changed?.session_id);
  },
);
