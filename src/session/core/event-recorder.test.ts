import { onTestFinished, expect, test } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { openLog } from "../log/open-log.ts";
import { Recorder } from "./event-recorder.ts";

test("Recorder puts the turn's id on its events and status, and not on a message that arrives meanwhile", () => {
  const log = openLog(memoryDir());
  onTestFinished(() => log.close());
  const recorder = new Recorder(log);
  const turn_id = recorder.newTurnId();
  recorder.record({ type: "turn_started", turn_id, messages: [], cause: "background" });
  const told = [
    recorder.settle(),
    recorder.record({ type: "text_delta", block: 0, text: "x" }),
    recorder.record({ type: "user_message", id: "m1", text: "hi" }),
  ];
  const usage = { input_tokens: 0, output_tokens: 0 };
  recorder.record({
    type: "done",
    turn_id,
    messages: [],
    usage,
    cost_usd: 0,
    duration_ms: 0,
    stop_reason: "completed",
  });
  expect([...told, recorder.settle(), recorder.settle()]).toMatchObject([
    { type: "status", state: "running", turn_id },
    { type: "text_delta", turn_id },
    { type: "user_message" },
    { type: "status", state: "idle" },
    undefined,
  ]);
  expect(told[2]).not.toHaveProperty("turn_id");
});
