import { expect, onTestFinished, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { Engine } from "../../engine/engine.ts";
import { openLog } from "../log/open-log.ts";
import { Recorder } from "./event-recorder.ts";
import { RunningTasks } from "./running-tasks.ts";
import { stopTask } from "./stop-task.ts";

function stage() {
  const log = openLog(memoryDir());
  onTestFinished(() => log.close());
  const timers = new HandTimers();
  const recorder = new Recorder(log);
  const tasks = new RunningTasks(timers);
  const told: string[] = [];
  /** A CLI that obeys. */
  const engine = {
    stopTask: async (task_id: string) => {
      told.push(task_id);
      tasks.take({ type: "background_task", task_id, state: "stopped" });
    },
  } as unknown as Engine;
  const call = (request_id: string) =>
    recorder.record({ type: "tool_use", request_id, tool: "Bash", input: {} });
  const named = (task_id: string, request_id: string) =>
    tasks.take({ type: "background_task", task_id, request_id, state: "started" });
  const stop = (
    target: { request_id?: string; task_id?: string },
    by: Engine | undefined = engine,
  ) => stopTask(target, by, { tasks, recorder });
  return { timers, recorder, tasks, told, engine, call, named, stop };
}

test("[SES-78] a call is stopped by the task that the CLI names for it, also when that comes later", async () => {
  const { call, named, stop, told } = stage();
  call("c1");
  const stopped = stop({ request_id: "c1" });
  named("b1", "c1");
  expect(await stopped).toBe("stopped");
  expect(told).toEqual(["b1"]);
  expect(await stop({ request_id: "c1" })).toBe("too_late");
  expect(await stop({ task_id: "b1" })).toBe("too_late");
});

test("[SES-78] a background task is stopped by its own id, or by its call that has a result", async () => {
  const { tasks, named, stop, told } = stage();
  for (const [task, request_id] of [
    ["b1", "c1"],
    ["b2", "c2"],
  ] as const) {
    named(task, request_id);
    tasks.take({ type: "tool_result", request_id, output: "", is_error: false });
  }
  expect(await stop({ task_id: "b1" })).toBe("stopped");
  expect(await stop({ request_id: "c2" })).toBe("stopped");
  expect(told).toEqual(["b1", "b2"]);
});

test("[SES-78] a call that ends before the CLI names its task is too late; one without a task cannot be stopped", async () => {
  const { timers, recorder, tasks, call, stop } = stage();
  call("c1");
  const late = stop({ request_id: "c1" });
  const result = { type: "tool_result", request_id: "c1", output: "", is_error: false } as const;
  recorder.record(result);
  tasks.take(result);
  expect(await late).toBe("too_late");
  call("c2");
  const never = stop({ request_id: "c2" });
  timers.pass(6_000);
  expect(await never).toBe("not_possible");
  expect(timers.waiting).toBe(0);
});

test("[SES-78] stop refuses what it does not know, and a call that waits for a decision", async () => {
  const { recorder, tasks, named, stop } = stage();
  await expect(stop({ task_id: "b9" })).rejects.toMatchObject({
    code: "unknown_request",
    hint: expect.stringContaining("background_tasks"),
  });
  await expect(stop({ request_id: "c9" })).rejects.toMatchObject({ code: "unknown_request" });
  const scopes = [{ scope: "once", label: "Once" } as const];
  recorder.record({ type: "approval_request", request_id: "c1", tool: "Bash", input: {}, scopes });
  await expect(stop({ request_id: "c1" })).rejects.toMatchObject({
    code: "invalid_params",
    hint: "Refuse it with deny.",
  });
  named("b1", "c2");
  // Its CLI has died.
  tasks.reset();
  expect(await stop({ task_id: "b1" })).toBe("too_late");
});

test("[SES-78] stop says so when the CLI dies or does not obey", async () => {
  const { timers, named, stop } = stage();
  named("b1", "c1");
  const dead = { stopTask: () => Promise.reject(new Error("gone")) } as unknown as Engine;
  await expect(stop({ task_id: "b1" }, dead)).rejects.toMatchObject({ code: "cli_exited" });
  const deaf = { stopTask: async () => {} } as unknown as Engine;
  const waiting = stop({ task_id: "b1" }, deaf).catch((error: unknown) => error);
  await expect.poll(() => timers.waiting).toBe(1);
  timers.pass(5_000);
  expect(await waiting).toMatchObject({ code: "timeout" });
});
