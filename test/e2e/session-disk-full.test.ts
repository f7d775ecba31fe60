import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";
import { copiesInLast, modelRequests } from "../support/requests.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

test("a message that a full disk does not take runs when there is room, once", async (context) => {
  const disk = mountSmallDisk();
  if (!disk) {
    context.skip("no right to mount a small disk here");
    return;
  }
  const stage = await setStage({ rules: [{ text: "I am here." }] });
  mkdirSync(join(disk.directory, "log"));
  symlinkSync(join(disk.directory, "log"), join(stage.configDir, "session-log"));
  const talk = await Conversation.start(stage);
  await talk.ask("hello");

  const makeRoom = disk.fill();
  const asked = modelRequests(stage).length;
  const message = { type: "message", id: "m1", text: `PROBE-1 ${"x".repeat(20_000)}` } as const;
  const refused = { code: "log_write_failed", retryable: true };
  await expect(talk.send(message)).rejects.toMatchObject(refused);
  await expect(talk.send(message)).rejects.toMatchObject(refused);
  expect(modelRequests(stage)).toHaveLength(asked);

  makeRoom();
  expect(await talk.endOf("m1")).toMatchObject({ stop_reason: "completed" });
  await talk.send(message);
  await talk.ask("bye");
  expect(copiesInLast(stage, "PROBE-1")).toBe(1);
  expect(talk.all("notice").map(({ code }) => code)).toContain("log_write_failed");
});
