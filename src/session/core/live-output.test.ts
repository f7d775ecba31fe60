import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { BackgroundTaskEvent } from "../../engine/events.ts";
import { TaskOutput } from "../../engine/task-output.ts";
import type { SessionEvent, SessionEventOf } from "../../wire/session/events.ts";
import type { EventDraft } from "../log/event-draft.ts";
import { openLog } from "../log/open-log.ts";
import { LiveOutput } from "./live-output.ts";
import { Recorder } from "./event-recorder.ts";

const usage = { input_tokens: 0, output_tokens: 0 };
const call = { type: "tool_use", request_id: "toolu_1", tool: "Bash", input: {} } as const;
const result = { type: "tool_result", request_id: "toolu_1", output: "", is_error: false } as const;

/** A turn with a call of Bash, whose output is a file of ours. */
function stage() {
  const tmp = tempDir();
  const tasks = join(tmp, `claude-${process.getuid?.()}`, "-work", "s1", "tasks");
  mkdirSync(tasks, { recursive: true });
  const log = openLog(join(tmp, "log"));
  onTestFinished(() => log.close());
  const told: SessionEvent[] = [];
  const timers = new HandTimers();
  const recorder = new Recorder(log);
  const tell = (draft: EventDraft) => recorder.record(draft);
  const original = log.append.bind(log);
  log.append = (draft) => {
    const event = original(draft);
    told.push(event);
    return event;
  };
  tell({ type: "session_changed", session_id: "s1" });
  tell({ type: "turn_started", turn_id: "t1", messages: [], cause: "message" });
  tell(call);
  const live = new LiveOutput(recorder, timers);
  onTestFinished(() => live.reset());
  const engine = {
    openTaskOutput: (session: string, task: string) =>
      TaskOutput.open({ TMPDIR: tmp }, session, task),
  };
  const task = (state: BackgroundTaskEvent["state"], more: Partial<BackgroundTaskEvent> = {}) =>
    live.take(
      { type: "background_task", task_id: "b1", request_id: "toolu_1", state, ...more },
      engine,
    );
  return {
    live,
    timers,
    tell,
    print: (text: string) => appendFileSync(join(tasks, "b1.output"), text),
    start: () => task("started", { kind: "local_bash", background: false }),
    task,
    deltas: () =>
      told.filter((e): e is SessionEventOf<"tool_output_delta"> => e.type === "tool_output_delta"),
  };
}

test("a command's output is recorded once, at most four times a second, to the end", () => {
  const { timers, print, start, task, deltas } = stage();
  print("one\n");
  start();
  for (let at = 0; at < 100; at++) {
    print(`${at} `);
    timers.pass(10);
  }
  expect(deltas()).toHaveLength(5);
  print("last");
  task("completed");
  timers.pass(10_000);
  expect(timers.waiting).toBe(0);
  const numbers = Array.from({ length: 100 }, (_, at) => `${at} `);
  expect(
    deltas()
      .map(({ text }) => text)
      .join(""),
  ).toBe(`one\n${numbers.join("")}last`);
  for (const delta of deltas()) {
    expect(delta).toMatchObject({ request_id: "toolu_1", turn_id: "t1" });
    expect(delta).not.toHaveProperty("ended");
  }
});

test("a flood of output is recorded in part, within bounds, and the rest is counted", () => {
  const { timers, print, start, task, deltas } = stage();
  const flood = "0123456789abcdef".repeat(4096);
  print(flood);
  start();
  let printed = flood.length;
  for (let at = 0; at < 600; at++) {
    print(flood);
    printed += flood.length;
    timers.pass(250);
  }
  task("completed");
  const told = deltas().reduce((sum, { text }) => sum + text.length, 0);
  const skipped = deltas().reduce((sum, { skipped_bytes = 0 }) => sum + skipped_bytes, 0);
  expect(told).toBe(4_194_304);
  expect(told + skipped).toBe(printed);
  expect(Math.max(...deltas().map(({ text }) => text.length))).toBe(8_192);
});

test("output of a command that continues after its result is recorded outside of turns, and so is its end", () => {
  const { timers, tell, print, start, task, deltas } = stage();
  print("up\n");
  start();
  tell(result);
  tell({
    type: "done",
    turn_id: "t1",
    messages: [],
    usage,
    cost_usd: 0,
    duration_ms: 0,
    stop_reason: "completed",
  });
  tell({ type: "turn_started", turn_id: "t2", messages: [], cause: "message" });
  print("GET /\n");
  timers.pass(250);
  timers.pass(250);
  task("completed");
  expect(deltas()).toMatchObject([
    { text: "up\n", turn_id: "t1" },
    { text: "GET /\n" },
    { text: "", ended: true },
  ]);
  expect(deltas()[1]).not.toHaveProperty("turn_id");
});

test("nothing is recorded for an agent, for a command without a file, or after the CLI's end", () => {
  const { live, timers, print, start, task, deltas } = stage();
  start();
  task("completed");
  print("x");
  task("started", { kind: "local_agent" });
  task("started", { kind: "local_bash", task_id: "b2" });
  task("progress", { task_id: "b1" });
  timers.pass(1000);
  expect(deltas()).toEqual([]);
  start();
  live.reset();
  print("y");
  timers.pass(1000);
  expect(deltas().map(({ text }) => text)).toEqual(["x"]);
});
