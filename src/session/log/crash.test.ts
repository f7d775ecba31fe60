import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type * as nodeFs from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { eventsOf, foldOf, wholeLog } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { stateToJson } from "../../session-state/state-json.ts";
import { openLog } from "./open-log.ts";

// A crash is a directory as it was between two calls to the system. Here every call that changes a file takes a
// picture first, and a write takes one more with half of its bytes; then each picture is opened.

const watch = vi.hoisted(() => ({ beforeChange: (_name: string): void => {} }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof nodeFs>();
  const watched = (name: keyof typeof fs): Record<string, unknown> => ({
    [name]: (...args: unknown[]) => {
      watch.beforeChange(name);
      return Reflect.apply(fs[name] as () => unknown, fs, args);
    },
  });
  return {
    ...fs,
    ...watched("renameSync"),
    ...watched("linkSync"),
    ...watched("rmSync"),
    ...watched("ftruncateSync"),
    ...watched("openSync"),
    ...watched("fdatasyncSync"),
    writeSync: (fd: number, bytes: Uint8Array, from: number, length: number, at: number) => {
      watch.beforeChange("writeSync");
      // As if the system had taken half of it: the caller has to go on from there.
      if (length === 1) return fs.writeSync(fd, bytes, from, length, at);
      return fs.writeSync(fd, bytes, from, Math.ceil(length / 2), at);
    },
  };
});

interface Picture {
  directory: string;
  /** What listeners had been told. */
  told: string;
}

let pictures: Picture[];
let told: string;
beforeEach(() => {
  pictures = [];
  told = "";
  watch.beforeChange = () => {};
});

function photograph(directory: string): void {
  const album = memoryDir();
  watch.beforeChange = (name) => {
    // These change nothing that a picture would show.
    if (!existsSync(directory) || name === "openSync" || name === "fdatasyncSync") return;
    const copy = join(album, String(pictures.length));
    cpSync(directory, copy, { recursive: true });
    pictures.push({ directory: copy, told });
  };
}

async function expectAllWhole(): Promise<void> {
  watch.beforeChange = () => {};
  for (const picture of pictures) {
    const log = openLog(picture.directory, { maxSegmentBytes: 3000 });
    const events = eventsOf(wholeLog(picture.directory));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(wholeLog(picture.directory).startsWith(picture.told)).toBe(true);
    expect(stateToJson(log.state)).toEqual(stateToJson(foldOf(events)));
    expect(log.state.acceptedIds).toEqual(foldOf(events).acceptedIds);
    // It goes on from there.
    log.append({ type: "user_message", id: "after", text: "the crash" });
    await log.durable();
    await log.close();
  }
}

test("killed between any two system calls: nothing published is lost, and the log continues", async () => {
  const directory = join(memoryDir(), "log");
  photograph(directory);
  for (let round = 0; round < 2; round += 1) {
    const log = openLog(directory, { maxSegmentBytes: 3000 });
    told = wholeLog(directory);
    log.subscribe(({ bytes }) => {
      told += Buffer.from(bytes).toString();
    });
    for (let turn = 0; turn < 4; turn += 1) {
      const turn_id = `t${log.lastSeq}`;
      const id = `m${log.lastSeq}`;
      log.append({ type: "user_message", id, text: "x".repeat(turn === 1 ? 300_000 : 200) });
      await log.durable();
      log.append({ type: "turn_started", turn_id, messages: [id], cause: "message" });
      log.append({ type: "text_delta", turn_id, block: 0, text: "y".repeat(300) });
      log.append({ type: "tool_use", turn_id, request_id: id, tool: "Bash", input: {} });
      await log.durable();
    }
    await log.close();
    expect(log.firstSeq).toBeGreaterThan(1);
    // The next opening finds a torn line.
    const path = join(directory, "events.jsonl");
    writeFileSync(path, `${readFileSync(path, "utf8")}{"seq":99,"ty`);
  }
  expect(pictures.length).toBeGreaterThan(100);
  await expectAllWhole();
});

test("a write that the disk takes in part and then refuses continues where it stopped", async () => {
  const directory = memoryDir();
  const errors: string[] = [];
  const log = openLog(directory, { onWriteError: ({ code }) => errors.push(code) });
  const heard: string[] = [];
  log.subscribe(({ bytes }) => heard.push(Buffer.from(bytes).toString()));
  let calls = 0;
  watch.beforeChange = () => {
    calls += 1;
    if (calls > 1) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  };
  log.append({ type: "user_message", id: "m1", text: "hello" });
  await expect(log.durable()).rejects.toMatchObject({
    code: "log_write_failed",
    data: { system_code: "ENOSPC", file: "events.jsonl" },
  });
  log.append({ type: "status", state: "running" });
  await expect(log.durable()).rejects.toMatchObject({ code: "log_write_failed" });
  expect(heard).toEqual([]);
  expect(errors).toEqual(["log_write_failed"]);
  watch.beforeChange = () => {};
  await log.durable();
  const whole = wholeLog(directory);
  expect(heard.join("")).toBe(whole);
  expect(eventsOf(whole)).toMatchObject([
    { seq: 1, type: "user_message" },
    { seq: 2, type: "notice", code: "log_write_failed" },
    { seq: 3, type: "status" },
  ]);
  await log.close();
});

test("a rotation that fails at any step leaves everything as it was, and is retried", async () => {
  let failed = true;
  let step = 0;
  while (failed) {
    step += 1;
    const directory = memoryDir();
    const errors: string[] = [];
    watch.beforeChange = () => {};
    const log = openLog(directory, {
      maxSegmentBytes: 3000,
      onWriteError: ({ code }) => errors.push(code),
    });
    let done = 0;
    // A rotation begins with a sync that nothing else here calls.
    watch.beforeChange = (name) => {
      if (done > 0 || name === "fdatasyncSync") done += 1;
      if (done === step) throw Object.assign(new Error("input/output error"), { code: "EIO" });
    };
    while (log.firstSeq === 1) {
      log.append({ type: "user_message", id: `m${log.lastSeq}`, text: "x".repeat(300) });
      await log.durable();
    }
    failed = errors.length > 0;
    const whole = wholeLog(directory);
    const events = eventsOf(whole);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(readdirSync(directory).filter((name) => /next|tmp/.test(name))).toEqual([]);
    await log.close();
    const again = openLog(directory);
    expect(stateToJson(again.state)).toEqual(stateToJson(foldOf(events)));
    await again.close();
  }
  // Syncs, two files with a rename each, a link, and the removal of the old state.
  expect(step).toBeGreaterThan(8);
});
