import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";

test("[SES-49] what runs in the background is in the status of an idle session, until it ends or the CLI does", async () => {
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

test("background tasks that the log of an earlier host has left open are gone with its CLI", async () => {
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
