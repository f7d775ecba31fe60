import { expect, onTestFinished, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import { eventsOf, hear, textOf } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { Row } from "../../engine/recovery/transcript.ts";
import { openLog } from "../log/open-log.ts";
import { ForeignWriter } from "./notice-foreign-writer.ts";
import { Inbox } from "./inbox.ts";
import { cliUuidOf } from "./cli-message-uuid.ts";
import { Recorder } from "./event-recorder.ts";

/** A row of a person at another CLI. */
const typed = { type: "user", uuid: "x1", promptSource: "typed" };

async function stage() {
  const log = openLog(memoryDir());
  onTestFinished(() => log.close());
  const heard = hear(log);
  const recorder = new Recorder(log);
  const inbox = new Inbox(recorder, new HandTimers());
  const pushed: string[] = [];
  inbox.open(({ id }) => pushed.push(id));
  const foreign = new ForeignWriter(recorder, inbox);
  const say = async (id: string): Promise<void> => {
    await inbox.accept({ type: "message", id, text: id, priority: "next", quiet: false }, "ann");
  };
  const takes = (uuid: string): void => foreign.take([{ ...typed, uuid }]);
  const notices = async () => {
    await log.durable();
    return eventsOf(textOf(heard)).filter((event) => event.type === "notice");
  };
  // A session in which we have spoken.
  await say("m1");
  takes(cliUuidOf("m1"));
  return { log, recorder, inbox, foreign, pushed, say, takes, notices };
}

test("foreign messages are reported once, and hold later messages until a person agrees", async () => {
  const { log, foreign, pushed, say, takes, notices } = await stage();
  takes("x1");
  takes("x2");
  const [notice, ...others] = await notices();
  expect([notice, others]).toMatchObject([{ code: "foreign_writer" }, []]);
  const request_id = notice?.request_id ?? "";
  expect([foreign.isAbout(request_id), foreign.isAbout("another")]).toEqual([true, false]);
  await say("m2");
  expect(pushed).toEqual([cliUuidOf("m1")]);
  foreign.resolve(true, "ann");
  expect(pushed).toEqual([cliUuidOf("m1"), cliUuidOf("m2")]);
  expect(log.state.resolved.get(request_id)).toEqual({ outcome: "allowed", by: "ann" });
  expect(foreign.isAbout(request_id)).toBe(false);
  // Read again, as by the next host: what was decided is not asked again.
  takes("x1");
  expect(await notices()).toHaveLength(1);
});

test("an unanswered question about foreign messages still holds messages in the next host", async () => {
  const { log, recorder, takes, notices } = await stage();
  takes("x1");
  const [request_id = ""] = log.state.notices.keys();
  const inbox = new Inbox(recorder, new HandTimers());
  const pushed: string[] = [];
  const foreign = new ForeignWriter(recorder, inbox);
  inbox.open(({ id }) => pushed.push(id));
  await inbox.accept(
    { type: "message", id: "m2", text: "m2", priority: "next", quiet: false },
    "ann",
  );
  foreign.take([{ ...typed, uuid: cliUuidOf("m1") }, typed]);
  expect([foreign.isAbout(request_id), pushed]).toEqual([true, []]);
  expect(await notices()).toHaveLength(1);
  foreign.resolve(true, undefined);
  expect([log.state.notices.size, pushed]).toEqual([0, [cliUuidOf("m2")]]);
});

test("once agreed to, foreign messages are not asked about again by later hosts", async () => {
  const { log, recorder, inbox, foreign, takes, notices } = await stage();
  const rows = ["x1", "x2", "x3"].map((uuid) => ({ ...typed, uuid }));
  const ours = { ...typed, uuid: cliUuidOf("m1") };
  for (const { uuid } of rows) takes(uuid);
  foreign.resolve(true, "ann");
  new ForeignWriter(recorder, inbox).take([ours, ...rows]);
  expect(await notices()).toHaveLength(1);
  // What comes later is news.
  new ForeignWriter(recorder, inbox).take([ours, ...rows, { ...typed, uuid: "x4" }]);
  expect([...log.state.notices.keys()]).toEqual(["foreign_x4"]);
});

test("foreign messages before ours are not asked about, though the answer is forgotten", async () => {
  const { recorder, inbox, say, notices } = await stage();
  await say("m2");
  const ours = ["m1", "m2"].map((id) => ({ ...typed, uuid: cliUuidOf(id) }));
  new ForeignWriter(recorder, inbox).take([ours[0]!, typed, ours[1]!]);
  expect(await notices()).toEqual([]);
});

test("a denial drops waiting messages, but no message that the CLI has", async () => {
  const { log, inbox, foreign, pushed, say, takes } = await stage();
  await say("m2");
  takes("x1");
  await say("m3");
  foreign.resolve(false, undefined);
  expect(pushed).toEqual(["m1", "m2"].map(cliUuidOf));
  expect([...log.state.accepted.keys()]).toEqual(["m1", "m2"]);
  expect(inbox.waiting()).toEqual(["m1", "m2"]);
  await say("m4");
  expect(pushed.at(-1)).toBe(cliUuidOf("m4"));
});

test.each<[what: string, row: Row]>([
  ["an answer of the model", { ...typed, type: "assistant" }],
  ["a result of a tool", { type: "user", uuid: "x1" }],
  ["a word of the CLI to itself", { ...typed, promptSource: "system" }],
  ["a note that people do not see", { ...typed, isMeta: true }],
  ["the words of a sub-agent", { ...typed, isSidechain: true }],
])("%s is not a foreign message", async (_what, row) => {
  const { foreign, notices } = await stage();
  foreign.take([row]);
  expect(await notices()).toEqual([]);
});

test("messages from before our first are the session's past, not foreign", async () => {
  const { recorder, inbox, notices } = await stage();
  const foreign = new ForeignWriter(recorder, inbox);
  foreign.take([typed]);
  expect(await notices()).toEqual([]);
});

test("notifications of background tasks are not foreign messages, whatever source the CLI gives them", async () => {
  const { foreign, pushed, say, notices } = await stage();
  // As CLI 2.1.250 writes it; 2.1.275 says `system`.
  const news = { type: "user", uuid: "n1", promptSource: "sdk" };
  foreign.take([{ ...news, origin: { kind: "task-notification" } }]);
  expect(await notices()).toEqual([]);
  await say("m2");
  expect(pushed).toEqual([cliUuidOf("m1"), cliUuidOf("m2")]);
  foreign.take([news]);
  expect(await notices()).toHaveLength(1);
});
