import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { provenRange } from "../../src/engine/cli-support.ts";
import { findTranscript } from "../../src/engine/recovery/index.ts";
import { openLog } from "../../src/session/log/open-log.ts";
import { Conversation } from "../support/conversation.ts";
import { noisePng } from "../support/noise-png.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { cliPidOf } from "../support/stage-processes.ts";
import {
  conversationOf,
  copiesInLast,
  leaveMark,
  modelRequests,
  timesRun,
} from "../support/requests.ts";

const script = {
  rules: [
    { when: { user: "make the mark" }, tools: [leaveMark("one")] },
    { when: { tool_result: { is_error: true } }, text: "Then not." },
    { when: { tool_result: "Bash" }, text: "It is done." },
    { when: { user: "tell for long" }, text: "x".repeat(60), delta_chars: 1, delta_delay_ms: 500 },
    { when: { user: "tell" }, text: "A long story of old.", delta_chars: 2, delta_delay_ms: 150 },
    { text: "I am here." },
  ],
};

/** A CLI that has to be asked for its version: ours under another name. */
function ownCli(stage: Stage): string {
  const file = join(stage.configDir, "my-claude");
  symlinkSync(locateCli(), file);
  return file;
}

/** Ours, but for what it says of its version. */
function cliThatSays(stage: Stage, words: string): string {
  const file = join(stage.configDir, "other-claude");
  const say = `if [ "$1" = --version ]; then ${words}; exit; fi`;
  writeFileSync(file, `#!/bin/sh\n${say}\nexec "${locateCli()}" "$@"\n`, { mode: 0o755 });
  return file;
}

/** Kills the CLI while it asks, and gives what is asked then. */
async function killAsking(talk: Conversation, stage: Stage) {
  const id = await talk.say("make the mark");
  const before = await talk.until("approval_request");
  const since = talk.told.length;
  process.kill(cliPidOf(stage), "SIGKILL");
  const after = await talk.until("approval_request", { since });
  return { id, before, after };
}

describe("a CLI that is killed", () => {
  test("while idle and in the middle of an answer is started again, and nothing is lost or doubled", async () => {
    const stage = await setStage(script);
    const talk = await Conversation.start(stage);
    await talk.ask("hello PROBE-1");
    process.kill(cliPidOf(stage), "SIGKILL");
    await talk.until("notice", { fits: ({ code }) => code === "cli_restarted" });
    await talk.ask("hello PROBE-2");
    expect(copiesInLast(stage, "PROBE-1")).toBe(1);
    expect(copiesInLast(stage, "PROBE-2")).toBe(1);

    const story = await talk.say("tell PROBE-3");
    const cut = await talk.until("turn_started", {
      fits: ({ messages }) => messages.includes(story),
    });
    await talk.until("text_delta", { fits: ({ turn_id }) => turn_id === cut.turn_id });
    process.kill(cliPidOf(stage), "SIGKILL");
    const done = await talk.endOf(story);
    expect(done.stop_reason).toBe("completed");
    expect(talk.textOf(done.turn_id)).toBe("A long story of old.");
    // The cut turn has its own end, and the one that takes it up says so.
    expect(talk.all("done").find(({ turn_id }) => turn_id === cut.turn_id)).toMatchObject({
      stop_reason: "cli_lost",
      messages: [],
    });
    expect(talk.all("turn_started").find(({ turn_id }) => turn_id === done.turn_id)).toMatchObject({
      cause: "resume",
      messages: [story],
    });
    await talk.ask("bye");
    expect(copiesInLast(stage, "PROBE-3")).toBe(1);
    expect(talk.all("turn_started")).toHaveLength(talk.all("done").length);
  });

  test("with a question open asks it again under its id, and an answer given meanwhile counts", async () => {
    const stage = await setStage(script);
    const talk = await Conversation.start(stage, { recovery: "full" });
    const id = await talk.say("make the mark");
    const asked = await talk.until("approval_request");
    const since = talk.told.length;
    process.kill(cliPidOf(stage), "SIGKILL");
    await talk.until("notice", { since });
    const answer = { type: "approve", request_id: asked.request_id } as const;
    const answered = talk.send(answer, "ann").then(
      () => "taken",
      (refused: { code: string }) => refused.code,
    );
    const next = await talk.until("approval_request", { since, withinMs: 30_000 });
    expect(timesRun(stage, "one")).toBe(0);
    // The same question, or another one that is known to take its place.
    const again = next.again === true;
    expect(again ? next.request_id : next.replaces).toBe(asked.request_id);
    expect(await answered).toBe(again ? "taken" : "already_resolved");
    if (!again) await talk.send({ type: "approve", request_id: next.request_id });
    expect(await talk.endOf(id)).toMatchObject({ stop_reason: "completed" });
    expect(timesRun(stage, "one")).toBe(1);
    expect(conversationOf(modelRequests(stage).at(-1))).not.toMatch(/outcome is unknown/);
    expect(talk.noticeCodes()).toEqual(["cli_restarted"]);
  });

  test("[SES-91] and whose call is refused without a question ends the request, once, and also for who answers it meanwhile", async () => {
    const stage = await setStage((cwd) => {
      const file_path = join(cwd, "notes.txt");
      const input = { file_path, old_string: "old", new_string: "new" };
      return {
        rules: [
          { when: { tool_result: { is_error: true } }, text: "Then not." },
          { when: { tool_result: "Read" }, tools: [{ name: "Edit", input }] },
          { when: { user: "edit" }, tools: [{ name: "Read", input: { file_path } }] },
          { text: "I am here." },
        ],
      };
    });
    const file = join(stage.cwd, "notes.txt");
    writeFileSync(file, "old\n");
    const talk = await Conversation.start(stage, { recovery: "full" });
    const id = await talk.say("edit");
    const { request_id } = await talk.until("approval_request");
    // Only a call that the CLI has written down can be asked about again under its id.
    const transcript = findTranscript(stage.configDir, talk.session.status().session_id) ?? "";
    await vi.waitFor(() => expect(readFileSync(transcript, "utf8")).toContain(request_id));
    // The CLI refuses to edit a file that is not there, and asks nobody.
    rmSync(file);
    const since = talk.told.length;
    process.kill(cliPidOf(stage), "SIGKILL");
    await talk.until("notice", { since });
    const refused = { code: "already_resolved", data: { outcome: "aborted" } };
    const approve = { type: "approve", request_id } as const;
    const meanwhile = talk.send(approve, "ann").catch((error: unknown) => error);
    await talk.endOf(id);
    expect(talk.all("approval_request")).toHaveLength(1);
    const ofCall = talk.told
      .slice(since)
      .filter((event) => "request_id" in event && event.request_id === request_id);
    expect(ofCall).toMatchObject([
      { type: "approval_resolved", outcome: "aborted" },
      { type: "tool_result", is_error: true },
    ]);
    expect(talk.session.status()).toMatchObject({ state: "idle", pending: [] });
    expect(await meanwhile).toMatchObject(refused);
    await expect(talk.send(approve)).rejects.toMatchObject(refused);
  });

  test("a message that comes while a killed CLI is waited for reaches the next one, once", async () => {
    const stage = await setStage(script);
    const talk = await Conversation.start(stage);
    for (const [text, retryMs] of [
      ["hello", 0],
      ["hello again", 1_000],
    ] as const) {
      await talk.ask(text);
      const since = talk.told.length;
      process.kill(cliPidOf(stage), "SIGKILL");
      const { data } = await talk.until("notice", { since });
      expect(data).toEqual({ retry_ms: retryMs });
    }
    const id = await talk.say("PROBE-5");
    expect(await talk.endOf(id)).toMatchObject({ stop_reason: "completed", messages: [id] });
    expect(copiesInLast(stage, "PROBE-5")).toBe(1);
  });
});

test("the budget covers all CLIs of a session together, not each", async () => {
  const stage = await setStage(script);
  const first = await Conversation.start(stage);
  const { cost_usd } = await first.ask("hello");
  await first.session.close("shutdown");

  const talk = await Conversation.start(stage, { maxBudgetUsd: 1.5 * cost_usd });
  expect(await talk.ask("hello")).toMatchObject({ stop_reason: "completed" });
  const since = talk.told.length;
  process.kill(cliPidOf(stage), "SIGKILL");
  await talk.until("notice", { since });
  expect(await talk.ask("hello")).toMatchObject({ stop_reason: "budget_exhausted" });
});

describe("a CLI of the person's own that is killed", () => {
  test("is judged by its version, however long it takes to say it", async () => {
    const stage = await setStage(script);
    const claudePath = cliThatSays(stage, `sleep 3; echo "${provenRange.last} (Claude Code)"`);
    const talk = await Conversation.start(stage, { claudePath });
    await killAsking(talk, stage);
    expect(talk.all("notice").map(({ code }) => code)).toEqual(["cli_restarted"]);
  });

  test("of an untested version, withdraws its request and asks again", async () => {
    const stage = await setStage(script);
    const claudePath = cliThatSays(stage, `echo "9.9.9 (Claude Code)"`);
    const talk = await Conversation.start(stage, { claudePath });
    const { id, before, after } = await killAsking(talk, stage);
    expect(talk.all("notice").map(({ code }) => code)).toEqual([
      "cli_untested",
      "cli_restarted",
      "recovery_untested",
    ]);
    expect(talk.all("approval_resolved")).toMatchObject([
      { request_id: before.request_id, outcome: "superseded" },
    ]);
    expect(after).toMatchObject({ replaces: before.request_id });
    expect(after.request_id).not.toBe(before.request_id);
    expect(timesRun(stage, "one")).toBe(0);
    await talk.send({ type: "approve", request_id: after.request_id });
    await talk.endOf(id);
    expect(timesRun(stage, "one")).toBe(1);
  });
});

describe("messages that come while a turn runs", () => {
  test("end with the turn that they join, though the CLI names the user's only", async () => {
    const stage = await setStage(script);
    const talk = await Conversation.start(stage);
    const id = await talk.say("make the mark");
    const { request_id } = await talk.until("approval_request");
    const peers = await talk.say("PROBE-6", { from: "peer" });
    const users = await talk.say("PROBE-7");
    await talk.send({ type: "approve", request_id });
    const done = await talk.endOf(id);
    expect(done.messages.toSorted()).toEqual([id, peers, users].toSorted());
    expect(copiesInLast(stage, "PROBE-6")).toBe(1);
  });
});

describe("a call that was allowed and had started when the CLI was killed", () => {
  test("is reported to the model as such, does not run again without permission, and is not foreign", async () => {
    const stage = await setStage({
      rules: [
        { when: { user: "make the mark" }, tools: [leaveMark("one", "sleep 20")], times: 1 },
        { text: "I will look what became of it." },
      ],
    });
    const claudePath = ownCli(stage);
    const talk = await Conversation.start(stage, { claudePath, recovery: "full" });
    const id = await talk.say("make the mark");
    const { request_id } = await talk.until("approval_request");
    await talk.send({ type: "approve", request_id });
    await vi.waitFor(() => expect(timesRun(stage, "one")).toBe(1), 20_000);
    process.kill(cliPidOf(stage), "SIGKILL");
    expect(await talk.endOf(id)).toMatchObject({ stop_reason: "completed" });
    const told = conversationOf(modelRequests(stage).at(-1));
    expect(told).toContain("was started, its outcome is unknown");
    expect(timesRun(stage, "one")).toBe(1);
    await talk.ask("bye");
    expect(talk.noticeCodes()).toEqual(["cli_restarted"]);
  });
});

describe("a session that is taken up by another process", () => {
  test("goes on with its log: messages, cost and the CLI's session", async () => {
    const stage = await setStage(script);
    const first = await Conversation.start(stage, { recovery: "full" });
    const one = await first.ask("hello PROBE-1");
    const { session_id } = first.session.status();
    await first.session.close("signal");
    expect(first.told.at(-1)).toMatchObject({ type: "closing", reason: "signal" });

    const second = await Conversation.start(stage, {
      claudePath: ownCli(stage),
      recovery: "full",
    });
    expect(second.session.status()).toMatchObject({ session_id, cost_usd: one.cost_usd });
    const two = await second.ask("hello PROBE-2");
    expect(copiesInLast(stage, "PROBE-1")).toBe(1);
    expect(Math.abs(two.cost_usd - one.cost_usd)).toBeLessThan(one.cost_usd / 2);
    expect(second.noticeCodes()).toEqual(["host_restarted"]);
  });

  test("pushes an accepted message that was stored as a blob in full", async () => {
    const stage = await setStage(script);
    // As a host leaves it that dies before any CLI is up.
    const log = openLog(join(stage.configDir, "session-log"));
    log.append({ type: "session_changed", session_id: randomUUID() });
    const long = `FIRST ${"x".repeat(300_000)} LAST`;
    const data = `DOCUMENT ${"y".repeat(300_000)} END`;
    const source = { type: "text", media_type: "text/plain", data } as const;
    const image = noisePng(300);
    const told = [
      log.append({ type: "user_message", id: "m1", text: long }),
      log.append({
        type: "user_message",
        id: "m2",
        content: [
          { type: "text", text: long.toLowerCase() },
          { type: "document", source },
          { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
        ],
      }),
    ];
    expect(JSON.stringify(told).match(/"blob":/g)).toHaveLength(4);
    await log.close();

    const talk = await Conversation.start(stage);
    await Promise.all([talk.endOf("m1"), talk.endOf("m2")]);
    const sent = conversationOf(modelRequests(stage).at(-1));
    for (const text of [long, long.toLowerCase(), data]) expect(sent).toContain(text);
    expect(sent).toContain(image);
  });

  test("answers a message that was waiting when the last process closed", async () => {
    const stage = await setStage(script);
    const first = await Conversation.start(stage);
    const story = await first.say("tell for long");
    await first.until("text_delta");
    const waiting = await first.say("PROBE-4", { priority: "later" });
    await first.session.close("shutdown");
    expect(first.all("done")).toMatchObject([{ messages: [story], stop_reason: "aborted" }]);
    expect(first.all("message_dropped")).toEqual([]);

    const second = await Conversation.start(stage);
    expect(await second.endOf(waiting)).toMatchObject({ messages: [waiting] });
    expect(copiesInLast(stage, "PROBE-4")).toBe(1);
  });
});
