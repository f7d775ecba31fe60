import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { Conversation } from "../support/conversation.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { copiesInLast, modelRequests } from "../support/requests.ts";

/** A person's own CLI, on the same session. */
async function writeAsStranger(stage: Stage, sessionId: string, text: string): Promise<void> {
  const run = promisify(execFile)(locateCli(), ["-p", "--resume", sessionId, text], {
    cwd: stage.cwd,
    env: { ...stage.env, PATH: process.env["PATH"] },
  });
  run.child.stdin?.end();
  await run;
}

test("a message of a foreign writer holds up the next message until a person agrees, and is kept", async () => {
  const stage = await setStage({ rules: [{ text: "I am here." }] });
  const talk = await Conversation.start(stage);
  await talk.ask("hello PROBE-1");
  const { session_id } = talk.session.status();
  await writeAsStranger(stage, session_id, "PROBE-2");
  const held = await talk.say("PROBE-3");
  const notice = await talk.until("notice", { fits: ({ code }) => code === "foreign_writer" });
  const count = modelRequests(stage).length;
  expect(talk.session.status().queued).toEqual([held]);
  const { request_id = "" } = notice;
  expect(talk.session.status()).toMatchObject({ state: "idle", pending: [notice] });
  const first = talk.send({ type: "approve", request_id }, "ann");
  const late = talk.send({ type: "deny", request_id }, "bob");
  await expect(late).rejects.toMatchObject({ code: "already_resolved" });
  await first;
  await talk.endOf(held);
  expect(modelRequests(stage)).toHaveLength(count + 1);
  for (const probe of ["PROBE-1", "PROBE-2", "PROBE-3"]) expect(copiesInLast(stage, probe)).toBe(1);
  expect(await talk.until("approval_resolved")).toMatchObject({ request_id, by: "ann" });
  await talk.session.close("shutdown");

  // While none of ours is there: noticed at the start. What was agreed to before is not asked again.
  await writeAsStranger(stage, session_id, "PROBE-4");
  const again = await Conversation.start(stage);
  const waiting = await again.say("PROBE-5");
  const second = await again.until("notice", { fits: ({ code }) => code === "foreign_writer" });
  expect(again.all("notice").filter(({ code }) => code === "foreign_writer")).toHaveLength(1);
  await again.send({ type: "deny", request_id: second.request_id ?? "" });
  expect(await again.until("message_dropped")).toMatchObject({ id: waiting });
  await again.ask("PROBE-6");
  for (const probe of ["PROBE-4", "PROBE-6"]) expect(copiesInLast(stage, probe)).toBe(1);
  expect(copiesInLast(stage, "PROBE-5")).toBe(0);
});
