import { expect, test } from "vitest";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";
import { cliPidOf } from "../support/stage-processes.ts";

const command = "until [ -e never ]; do sleep 0.1; done";
const bash = (more = {}) => [{ name: "Bash", input: { command, ...more } }];
const agent = (run_in_background: boolean) => [
  {
    name: "Agent",
    input: {
      description: "work",
      prompt: "SUBWORK",
      subagent_type: "general-purpose",
      run_in_background,
    },
  },
];

test(
  "[SES-78] stop ends a command, a sub-agent and a background task, and the turn goes on",
  { timeout: 120_000 },
  async () => {
    const stage = await setStage({
      rules: [
        { when: { user: "SUBWORK" }, tools: bash(), times: 3 },
        { when: { user: "first" }, tools: bash(), times: 1 },
        { when: { user: "second" }, tools: agent(false), times: 1 },
        { when: { user: "third" }, tools: bash({ run_in_background: true }), times: 1 },
        { when: { user: "fourth" }, tools: agent(true), times: 1 },
        { when: { user: "fifth" }, tools: bash({ run_in_background: true }), times: 1 },
        { text: "I go on." },
      ],
    });
    const talk = await Conversation.start(stage, { allowedTools: ["Bash"] });
    const stop = (target: { request_id: string } | { task_id: string }) =>
      talk.session.handle(
        "task_id" in target
          ? { type: "stop", task_id: target.task_id }
          : { type: "stop", request_id: target.request_id },
        "ann",
      );
    const begun = async (text: string, tool: string) => {
      const since = talk.told.length;
      const id = await talk.say(text);
      const fits = (event: { tool: string; parent?: string | undefined }) => event.tool === tool;
      return { id, since, call: await talk.until("tool_use", { since, fits }) };
    };

    // A command that the turn waits for: at once, though the CLI names its task only after seconds.
    const first = await begun("first", "Bash");
    expect(await stop(first.call)).toEqual({ type: "ok", outcome: "stopped" });
    expect(await talk.endOf(first.id)).toMatchObject({ stop_reason: "completed" });
    expect(talk.all("tool_result", first.since)).toMatchObject([
      { request_id: first.call.request_id, is_error: true },
    ]);
    expect(await stop(first.call)).toMatchObject({ outcome: "too_late" });

    // A sub-agent that the turn waits for, in the middle of its own command.
    const second = await begun("second", "Agent");
    const { since } = second;
    await talk.until("tool_use", { since, fits: ({ parent }) => parent !== undefined });
    expect(await stop(second.call)).toMatchObject({ outcome: "stopped" });
    expect(await talk.endOf(second.id)).toMatchObject({ stop_reason: "completed" });
    const { request_id } = second.call;
    const ended = talk.all("subagent_ended", since);
    expect(ended).toMatchObject([{ request_id, outcome: "stopped" }]);

    // In the background, by the id of the task; the session is idle.
    for (const [text, tool] of [
      ["third", "Bash"],
      ["fourth", "Agent"],
    ] as const) {
      const before = talk.told.length;
      await talk.ask(text);
      const [task] = talk.session.status().background_tasks ?? [];
      expect(task?.kind).toBe(tool === "Bash" ? "local_bash" : "local_agent");
      expect(await stop({ task_id: task?.task_id ?? "" })).toMatchObject({ outcome: "stopped" });
      await talk.until("background_tasks", {
        since: before,
        fits: ({ tasks }) => tasks.length === 0,
      });
      expect(await stop({ task_id: task?.task_id ?? "" })).toMatchObject({ outcome: "too_late" });
    }

    // After the death of the CLI nothing of it runs.
    await talk.ask("fifth");
    const [task] = talk.session.status().background_tasks ?? [];
    const { told } = talk;
    process.kill(cliPidOf(stage), "SIGKILL");
    await talk.until("notice", {
      since: told.length,
      fits: ({ code }) => code === "cli_restarted",
    });
    expect(await stop({ task_id: task?.task_id ?? "" })).toMatchObject({ outcome: "too_late" });
    await expect(stop({ task_id: "nothing" })).rejects.toMatchObject({ code: "unknown_request" });
    await expect(stop({ request_id: "nothing" })).rejects.toMatchObject({
      code: "unknown_request",
    });
  },
);
