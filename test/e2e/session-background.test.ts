import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptInput } from "../../src/rehearsal/script-schema.ts";
import { Conversation } from "../support/conversation.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { leaveMark, timesRun } from "../support/requests.ts";
import { cliPidOf } from "../support/stage-processes.ts";

test("[SES-49] status of an idle session lists background tasks until they or the CLI end", async () => {
  const stage = await setStage((cwd) => ({
    rules: [
      {
        when: { user: "serve" },
        tools: [
          {
            name: "Bash",
            input: {
              command: `until [ -e ${join(cwd, "enough")} ]; do sleep 0.1; done; touch ${join(cwd, "served")}`,
              description: "Serve until it is enough",
              run_in_background: true,
            },
          },
        ],
        times: 2,
      },
      { text: "It runs." },
    ],
  }));
  const talk = await Conversation.start(stage, { allowedTools: ["Bash"] });
  await talk.ask("serve");
  const { state, background_tasks: tasks } = talk.session.status();
  expect(state).toBe("idle");
  expect(tasks).toEqual([
    { task_id: expect.any(String), kind: "local_bash", description: "Serve until it is enough" },
  ]);
  const nothingRuns = (since: number) =>
    talk.until("background_tasks", { since, fits: (event) => event.tasks.length === 0 });
  const since = talk.told.length;
  writeFileSync(join(stage.cwd, "enough"), "");
  await nothingRuns(since);
  expect(existsSync(join(stage.cwd, "served"))).toBe(true);
  expect(talk.session.status().background_tasks).toBeUndefined();
});

test("background tasks that an earlier host's log left open are gone with its CLI", async () => {
  const stage = await setStage({
    rules: [
      {
        when: { user: "serve" },
        tools: [{ name: "Bash", input: { command: "tail -f /dev/null", run_in_background: true } }],
        times: 1,
      },
      { text: "It runs." },
    ],
  });
  const talk = await Conversation.start(stage, { allowedTools: ["Bash"] });
  await talk.ask("serve");
  expect(talk.session.status().background_tasks).toHaveLength(1);
  await talk.session.close("shutdown");

  // The log of the first says that it runs.
  const next = await Conversation.start(stage, { allowedTools: ["Bash"] });
  expect(await next.until("background_tasks")).toMatchObject({ tasks: [] });
  expect(next.session.status().background_tasks).toBeUndefined();
});

/** The model leaves work to a sub-agent of the background and ends its turn; the sub-agent wants leave for two commands. */
const delegation: ScriptInput = {
  rules: [
    { when: { user: "SUBWORK" }, tools: [leaveMark("one")], times: 1 },
    { when: { tool_result: "Bash" }, tools: [leaveMark("two")], times: 1 },
    {
      when: { user: "delegate" },
      tools: [
        {
          name: "Agent",
          input: {
            description: "work",
            prompt: "SUBWORK please",
            subagent_type: "general-purpose",
            run_in_background: true,
          },
        },
      ],
      times: 1,
    },
    { text: "Fine." },
  ],
};

/** Until the second is asked about, long after the turn. */
async function delegate(stage: Stage) {
  const talk = await Conversation.start(stage);
  await talk.ask("delegate");
  const first = await talk.until("approval_request");
  const since = talk.told.length;
  await talk.send({ type: "approve", request_id: first.request_id });
  const request = await talk.until("approval_request", { since });
  expect(request).toMatchObject({ parent: expect.any(String) });
  expect(request).not.toHaveProperty("turn_id");
  const pending = [{ ...request, remaining_ms: expect.any(Number) }];
  expect(talk.session.status()).toMatchObject({ state: "waiting", pending });
  expect(talk.session.status()).not.toHaveProperty("turn_id");
  return { talk, request_id: request.request_id };
}

test("[SES-38] a request of a background sub-agent survives an abort and a quiet message", async () => {
  const stage = await setStage(delegation);
  const { talk, request_id } = await delegate(stage);
  const pid = cliPidOf(stage);
  const since = talk.told.length;
  await talk.send({ type: "abort" });
  const quiet = await talk.say("for your information", { quiet: true });
  await talk.until("message_seen", { since, fits: ({ id }) => id === quiet });
  expect(talk.session.status()).toMatchObject({ state: "waiting", pending: [{ request_id }] });
  expect(cliPidOf(stage)).toBe(pid);
  await talk.send({ type: "approve", request_id });
  await talk.until("tool_result", { since, fits: (event) => event.request_id === request_id });
  expect(timesRun(stage, "two")).toBe(1);
  // The news of its end is a turn without a message.
  await talk.until("done", { since });
  expect(talk.all("turn_started", since)).toMatchObject([{ cause: "background" }]);
  expect(talk.session.status()).toMatchObject({ state: "idle", pending: [] });
});

test("a request of a background sub-agent ends with its CLI, and no turn is resumed for it", async () => {
  const stage = await setStage(delegation);
  const { talk, request_id } = await delegate(stage);
  const since = talk.told.length;
  process.kill(cliPidOf(stage), "SIGKILL");
  expect(await talk.until("approval_resolved", { since })).toMatchObject({
    request_id,
    outcome: "superseded",
  });
  expect(await talk.ask("hello")).toMatchObject({ stop_reason: "completed" });
  // The CLI tells the model by itself what has become of the sub-agent, which may be a turn.
  expect(talk.all("turn_started", since).map(({ cause }) => cause)).not.toContain("resume");
  expect(talk.all("done", since).map((done) => done.stop_reason)).not.toContain("cli_lost");
  expect(talk.session.status()).toMatchObject({ state: "idle", pending: [] });
  expect(timesRun(stage, "two")).toBe(0);
});
