import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { TaskOutput } from "./task-output.ts";

/** The place of a task's file, as the CLI lays it out. */
function taskFile(): { tmp: string; file: string } {
  const tmp = tempDir();
  const tasks = join(tmp, `claude-${process.getuid?.()}`, "-work-project", "session-1", "tasks");
  mkdirSync(tasks, { recursive: true });
  return { tmp, file: join(tasks, "b1.output") };
}

function opened(tmp: string): TaskOutput {
  const output = TaskOutput.open({ TMPDIR: tmp }, "session-1", "b1");
  if (!output) throw new Error("not found");
  onTestFinished(() => output.close());
  return output;
}

test("TaskOutput returns each byte once, also the last ones of a removed file", () => {
  const { tmp, file } = taskFile();
  writeFileSync(file, "one\n");
  const output = opened(tmp);
  expect(output.read(100)).toEqual({ text: "one\n", skippedBytes: 0 });
  expect(output.read(100)).toEqual({ text: "", skippedBytes: 0 });
  appendFileSync(file, "two\n");
  rmSync(file);
  expect(output.read(100).text).toBe("two\n");
});

test("TaskOutput returns a character whose bytes come one by one as a whole", () => {
  const { tmp, file } = taskFile();
  writeFileSync(file, "");
  const output = opened(tmp);
  const told = [...Buffer.from("aé€😀")].map((byte) => {
    appendFileSync(file, Uint8Array.of(byte));
    return output.read(100).text;
  });
  expect(told.filter(Boolean)).toEqual(["a", "é", "€", "😀"]);
});

test("TaskOutput returns the end of long output from a complete character on, and how much it skipped", () => {
  const { tmp, file } = taskFile();
  writeFileSync(file, `${"x".repeat(1000)}€uro`);
  const output = opened(tmp);
  // Cuts the first letter after its first byte.
  expect(output.read(5)).toEqual({ text: "uro", skippedBytes: 1001 });
  appendFileSync(file, "!");
  expect(output.read(5)).toEqual({ text: "!", skippedBytes: 0 });
  appendFileSync(file, "more");
  expect(output.read(0)).toEqual({ text: "", skippedBytes: 4 });
});

test("TaskOutput.open returns undefined without such a file, or for a link", () => {
  const { tmp, file } = taskFile();
  expect(TaskOutput.open({ TMPDIR: tmp }, "session-1", "b1")).toBeUndefined();
  expect(TaskOutput.open({ TMPDIR: join(tmp, "none") }, "session-1", "b1")).toBeUndefined();
  writeFileSync(join(tmp, "secret"), "secret");
  symlinkSync(join(tmp, "secret"), file);
  expect(TaskOutput.open({ TMPDIR: tmp }, "session-1", "b1")).toBeUndefined();
  rmSync(file);
  mkdirSync(file);
  expect(TaskOutput.open({ TMPDIR: tmp }, "session-1", "b1")).toBeUndefined();
});
