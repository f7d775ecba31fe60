import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findTranscript } from "../../src/engine/recovery/transcript.ts";
import { Conversation } from "../support/conversation.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { copiesInLast, conversationOf, modelRequests } from "../support/requests.ts";

const probes = ["PROBE-1", "PROBE-2", "PROBE-3"];

/** A session with three messages, one of them relayed, one answered by a tool call, that has ended well. */
async function endedSession(stage: Stage) {
  const talk = await Conversation.start(stage);
  await talk.ask("PROBE-1");
  await talk.send({ type: "message", id: "relayed", text: "PROBE-2", from: "bob" });
  await talk.endOf("relayed");
  await talk.ask("PROBE-3 look");
  const { session_id } = talk.session.status();
  await talk.session.close("shutdown");
  const path = findTranscript(stage.configDir, session_id) ?? "";
  return { path, session_id };
}

const newStage = () =>
  setStage({
    rules: [
      { when: { tool_result: "Bash" }, text: "An ANSWER." },
      { when: { user: "look" }, tools: [{ name: "Bash", input: { command: "echo SEEN" } }] },
    ],
    default: { text: "An ANSWER." },
  });

const isLost = ({ code }: { code: string }) => code === "conversation_lost";
const noticesOf = (talk: Conversation) => talk.all("notice").map(({ code }) => code);

test("[SES-54] a conversation whose file is gone is reported, and restored from the log on approval", async () => {
  const stage = await newStage();
  const { path, session_id } = await endedSession(stage);
  const before = conversationOf(modelRequests(stage).at(-1));
  rmSync(path);

  const talk = await Conversation.start(stage, { sessionId: session_id });
  const waiting = await talk.say("PROBE-4");
  const notice = await talk.until("notice", { fits: isLost });
  expect(notice).toMatchObject({
    message: expect.stringContaining("is gone, and with it 3 messages"),
    data: { count: 3, messages: expect.arrayContaining(["relayed"]) },
  });
  expect(JSON.stringify(talk.all("notice"))).not.toContain("continues where it was");
  expect(talk.session.status()).toMatchObject({ queued: [waiting], pending: [notice] });

  // A host after this one asks no second question.
  await talk.session.close("shutdown");
  const again = await Conversation.start(stage, { sessionId: session_id });
  expect(again.session.status().pending).toEqual([notice]);
  await again.send({ type: "approve", request_id: notice.request_id ?? "" }, "ann");
  await again.endOf(waiting);
  for (const probe of [...probes, "PROBE-4"])
    expect([probe, copiesInLast(stage, probe)]).toEqual([probe, 1]);
  const given = conversationOf(modelRequests(stage).at(-1));
  for (const words of ["SEEN", "An ANSWER.", "NON-USER SOURCE"]) {
    expect(given.split(words).length).toBeGreaterThanOrEqual(before.split(words).length);
  }
  expect(given).toMatch(/tool_use.*echo SEEN.*tool_result.*SEEN/);
  expect(await again.until("approval_resolved")).toMatchObject({ by: "ann", outcome: "allowed" });
  await again.session.close("shutdown");

  // Given back is given back: nothing is lost any more.
  const third = await Conversation.start(stage, { sessionId: session_id });
  await third.ask("PROBE-5");
  expect(noticesOf(third)).not.toContain("conversation_lost");
  for (const probe of probes) expect(copiesInLast(stage, probe)).toBe(1);
});

test("a conversation file that was cut short is reported, and the session goes on without it on denial", async () => {
  const stage = await newStage();
  const { path, session_id } = await endedSession(stage);
  const rows = readFileSync(path, "utf8").split("\n");
  const cut = rows.findIndex((row) => row.includes('"type":"user"') && row.includes("PROBE-2"));
  writeFileSync(
    path,
    rows
      .slice(0, cut)
      .map((row) => `${row}\n`)
      .join(""),
  );

  const talk = await Conversation.start(stage, { sessionId: session_id });
  const notice = await talk.until("notice", { fits: isLost });
  expect(notice.data).toMatchObject({ count: 2 });
  await talk.send({ type: "deny", request_id: notice.request_id ?? "" });
  await talk.ask("PROBE-4");
  expect(["PROBE-1", "PROBE-2", "PROBE-3"].map((probe) => copiesInLast(stage, probe))).toEqual([
    1, 0, 0,
  ]);
  await talk.session.close("shutdown");

  // What was decided once is not asked again.
  const again = await Conversation.start(stage, { sessionId: session_id });
  await again.ask("PROBE-5");
  expect(noticesOf(again)).not.toContain("conversation_lost");
});

test("a lost conversation is restored or left out without asking, as the policy says", async () => {
  const stage = await newStage();
  const { path, session_id } = await endedSession(stage);
  rmSync(path);
  const restored = await Conversation.start(stage, {
    sessionId: session_id,
    lostConversation: "restore",
  });
  await restored.ask("PROBE-4");
  for (const probe of [...probes, "PROBE-4"]) expect(copiesInLast(stage, probe)).toBe(1);
  expect(noticesOf(restored)).toContain("transcript_mended");
  await restored.session.close("shutdown");

  rmSync(path);
  const bare = await Conversation.start(stage, {
    sessionId: session_id,
    lostConversation: "forget",
  });
  await bare.ask("PROBE-5");
  for (const probe of [...probes, "PROBE-4"]) expect(copiesInLast(stage, probe)).toBe(0);
  expect(noticesOf(bare)).toContain("conversation_lost");
  expect(bare.session.status().pending).toEqual([]);
});

test("a last answer that is missing in the file is restored from the log, and reported", async () => {
  const stage = await newStage();
  const { path, session_id } = await endedSession(stage);
  const rows = readFileSync(path, "utf8").split("\n");
  const cut = rows.findLastIndex((row) => row.includes('"type":"assistant"'));
  writeFileSync(path, `${rows.slice(0, cut).join("\n")}\n`);

  const talk = await Conversation.start(stage, { sessionId: session_id });
  await talk.ask("PROBE-4");
  expect(noticesOf(talk)).toContain("transcript_mended");
  const given = conversationOf(modelRequests(stage).at(-1));
  expect(given).toMatch(/tool_use.*echo SEEN.*tool_result.*SEEN.*An ANSWER.*PROBE-4/);
  expect(given).not.toContain("No response requested");
});

test("a directory in place of the conversation file is reported as a loss that cannot be repaired", async () => {
  const stage = await newStage();
  const { path, session_id } = await endedSession(stage);
  rmSync(path);
  mkdirSync(path);
  const talk = await Conversation.start(stage, {
    sessionId: session_id,
    lostConversation: "restore",
  });
  const notice = await talk.until("notice", { fits: isLost });
  expect(notice.message).toContain("lacks 3 messages");
  expect(JSON.stringify(talk.all("notice"))).not.toContain("where it was");
});
