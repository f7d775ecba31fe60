import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TurnEndedEvent } from "../../src/engine/events.ts";
import type { PermissionDecision } from "../../src/engine/ask-permission.ts";
import type { JournalEntry } from "../../src/rehearsal/journal.ts";
import type { Stage } from "../support/rehearsed.ts";
import { Performance, setStage } from "../support/rehearsed.ts";

const script = {
  rules: [
    { when: { tool_result: { is_error: true } }, text: "Then not." },
    { when: { tool_result: "Bash" }, text: "It is done." },
    {
      when: { user: "work" },
      tools: [{ name: "Bash", input: { command: "sleep 0.8; echo x > y" } }],
    },
    { when: { user: "tell" }, text: "A long story.", delta_chars: 2, delta_delay_ms: 300 },
    { text: "I am here." },
  ],
};

const requests = ({ rehearsal }: Stage): JournalEntry[] =>
  rehearsal.journal.entries.filter(({ kind }) => kind === "main");

const conversation = (entry: JournalEntry | undefined): string =>
  JSON.stringify(entry?.body?.["messages"] ?? []);

const endOf = (play: Performance, id: string): Promise<TurnEndedEvent> =>
  play.until("turn_ended", { fits: ({ messages }) => messages.includes(id) });

describe("a message while a turn runs", () => {
  test("with priority next joins it behind the tool", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    const work = play.say("work");
    await play.until("ask");
    const more = play.say("faster", { priority: "next" });
    expect(await endOf(play, more)).toMatchObject({ messages: [work, more] });
    expect(play.told.filter(({ type }) => type === "turn_ended")).toHaveLength(1);
    expect(conversation(requests(stage).at(-1))).toContain("faster");
  });

  test("with priority later has a turn of its own", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    const work = play.say("work");
    await play.until("ask");
    const later = play.say("hello", { priority: "later" });
    expect(await endOf(play, work)).toMatchObject({ messages: [work], text: "It is done." });
    expect(await endOf(play, later)).toMatchObject({ messages: [later], text: "I am here." });
    const turns = play.told.filter((event) => event.type === "turn_started");
    expect(turns.map(({ messages }) => messages)).toEqual([[work], [later]]);
  });

  test("with priority now cuts it short", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    const story = play.say("tell me");
    await play.until("text_delta");
    const now = play.say("hello", { priority: "now" });
    expect(await endOf(play, story)).toMatchObject({ stop_reason: "interrupted" });
    expect(await endOf(play, now)).toMatchObject({ stop_reason: "completed", text: "I am here." });
  });

  test("stays queued when the turn is interrupted, and runs next", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    const story = play.say("tell me");
    await play.until("text_delta");
    const next = play.say("hello");
    await play.until("message_state", {
      fits: ({ id, state }) => id === next && state === "queued",
    });
    expect(await play.engine.interrupt()).toEqual({ stillQueued: [next] });
    expect(await endOf(play, story)).toMatchObject({ stop_reason: "aborted" });
    expect(await endOf(play, next)).toMatchObject({ text: "I am here." });
  });
});

test("a quiet message asks nothing of the model and is part of what it is asked next", async () => {
  const stage = await setStage(script);
  const play = new Performance(stage);
  const quiet = play.say("Note: the door is green.", { quiet: true });
  expect(await endOf(play, quiet)).toMatchObject({ stop_reason: "completed", text: "" });
  expect(requests(stage)).toEqual([]);
  await play.ask("hello");
  expect(requests(stage)).toHaveLength(1);
  expect(conversation(requests(stage)[0])).toContain("the door is green");
});

describe("control of a running session", () => {
  test("an interrupt when nothing runs is no error, and the next message is answered", async () => {
    const play = new Performance(await setStage(script));
    expect(await play.engine.interrupt()).toEqual({ stillQueued: [] });
    await play.ask("hello");
    expect(await play.engine.interrupt()).toEqual({ stillQueued: [] });
    expect(await play.ask("hello")).toMatchObject({ stop_reason: "completed" });
  });

  test("mode and model change in band, without a new process", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    await play.ask("hello");
    const { pid } = play.engine;
    await play.engine.setMode("acceptEdits");
    expect(await play.until("mode_changed")).toMatchObject({ mode: "acceptEdits" });
    await play.engine.setModel("claude-test-model");
    await play.ask("hello");
    expect(await play.until("model_changed")).toMatchObject({ model: "claude-test-model" });
    expect(requests(stage).at(-1)?.body).toMatchObject({ model: "claude-test-model" });
    expect(play.engine.pid).toBe(pid);
  });

  test("a request that the CLI refuses fails with the CLI's text, and the session goes on", async () => {
    const play = new Performance(await setStage(script));
    await expect(play.engine.setMode("bypassPermissions")).rejects.toMatchObject({
      code: "execution_failed",
      message: expect.stringMatching(/^Claude Code refused: .*bypassPermissions/),
    });
    expect(await play.ask("hello")).toMatchObject({ text: "I am here." });
  });

  test("/clear continues in another session, which is reported once, by the name of its file", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    await play.ask("hello, my name is Eve");
    const { session_id: previous } = await play.until("ready");
    await play.ask("/clear");
    await play.ask("who am I?");
    const changes = play.told.filter((event) => event.type === "session_changed");
    const [project = ""] = readdirSync(join(stage.configDir, "projects"));
    const files = readdirSync(join(stage.configDir, "projects", project));
    const current = files.filter((name) => name.endsWith(".jsonl") && name !== `${previous}.jsonl`);
    expect(changes).toEqual([
      { type: "session_changed", session_id: current[0]?.replace(".jsonl", ""), previous },
    ]);
    expect(conversation(requests(stage).at(-1))).not.toContain("Eve");
  });
});

describe("a decision", () => {
  test("that fails denies the call, with a reason for the model", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    play.decide = async () => {
      throw new Error("the ballot box is on fire");
    };
    expect(await play.ask("work")).toMatchObject({ stop_reason: "completed", text: "Then not." });
    expect(conversation(requests(stage).at(-1))).toContain("the ballot box is on fire");
    expect(await play.ask("hello")).toMatchObject({ text: "I am here." });
  });

  test("that no one makes ends with the turn, and the session goes on", async () => {
    const play = new Performance(await setStage(script));
    play.decide = () => new Promise<PermissionDecision>(() => {});
    const work = play.say("work");
    const { signal } = await play.until("ask");
    await play.engine.interrupt();
    expect(await endOf(play, work)).toMatchObject({ stop_reason: "aborted" });
    expect(signal.aborted).toBe(true);
    expect(await play.ask("hello")).toMatchObject({ stop_reason: "completed" });
  });

  test("that comes after the question was withdrawn changes nothing", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    const late = Promise.withResolvers<PermissionDecision>();
    play.decide = () => late.promise;
    const work = play.say("work");
    await play.until("ask");
    await play.engine.interrupt();
    await endOf(play, work);
    late.resolve({ allow: true });
    expect(await play.ask("hello")).toMatchObject({ stop_reason: "completed" });
    expect(readdirSync(stage.cwd)).toEqual([]);
  });
});

test("a veto that fails stops the call, though everything is allowed", async () => {
  const stage = await setStage(script);
  const play = new Performance(stage, {
    veto: () => {
      throw new Error("a veto's own trouble");
    },
  });
  await play.ask("work");
  expect(requests(stage).at(-1)!.new_tool_results).toMatchObject([{ is_error: true }]);
  expect(readdirSync(stage.cwd)).toEqual([]);
});
