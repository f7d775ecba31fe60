import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";
import { conversationOf, leaveMark, modelRequests, timesRun } from "../support/requests.ts";

const lastSent = (stage: Parameters<typeof modelRequests>[0]): string =>
  conversationOf(modelRequests(stage).at(-1));

test("each decision applies as far as its scope: once, edited, session, always, denied", async () => {
  const stage = await setStage({
    rules: [
      { when: { tool_result: { is_error: true } }, text: "Then not." },
      { when: { tool_result: "Bash" }, text: "It is done." },
      {
        when: { user: "/^mark (\\w+)/" },
        tools: [{ name: "Bash", input: { command: "./mark.sh $1" } }],
      },
      { when: { user: "/^fetch (\\w+)/" }, tools: [leaveMark("$1")] },
    ],
  });
  writeFileSync(join(stage.cwd, "mark.sh"), '#!/bin/sh\necho > "$1"\n', { mode: 0o755 });
  const talk = await Conversation.start(stage);
  const asked = async (text: string) => {
    const since = talk.told.length;
    const id = await talk.say(text);
    return { id, request: await talk.until("approval_request", { since }) };
  };
  const first = await asked("mark one");
  const scopes = first.request.scopes.map(({ scope }) => scope);
  expect(scopes).toEqual(["once", "session", "always"]);
  await talk.send({
    type: "approve",
    request_id: first.request.request_id,
    updated_input: { command: "./mark.sh edited" },
  });
  await talk.endOf(first.id);
  expect(existsSync(join(stage.cwd, "edited"))).toBe(true);
  expect(existsSync(join(stage.cwd, "one"))).toBe(false);

  const second = await asked("mark two");
  await talk.send({ type: "approve", request_id: second.request.request_id, scope: "session" });
  await talk.endOf(second.id);
  const count = talk.all("approval_request").length;
  await talk.ask("mark two");
  expect(talk.all("approval_request")).toHaveLength(count);
  // A rule for one command is none for another.
  const other = await asked("fetch three");
  await talk.send({ type: "deny", request_id: other.request.request_id, reason: "Not today." });
  expect(await talk.endOf(other.id)).toMatchObject({ stop_reason: "completed" });
  expect(lastSent(stage)).toContain("Not today.");
  expect(timesRun(stage, "three")).toBe(0);
  await expect(
    talk.send({ type: "approve", request_id: other.request.request_id }),
  ).rejects.toMatchObject({ code: "already_resolved" });
  await expect(talk.send({ type: "deny", request_id: "nothing" })).rejects.toMatchObject({
    code: "unknown_request",
  });

  const always = await asked("mark four");
  await talk.send({ type: "approve", request_id: always.request.request_id, scope: "always" });
  await talk.endOf(always.id);
  const settings = readFileSync(join(stage.cwd, ".claude", "settings.local.json"), "utf8");
  expect(settings).toContain("./mark.sh four");
  // Also where the project's own settings are not read, as in one that is not trusted.
  const asks = talk.all("approval_request").length;
  await talk.ask("mark four");
  expect(talk.all("approval_request")).toHaveLength(asks);

  const stop = await asked("fetch five");
  await talk.send({ type: "deny", request_id: stop.request.request_id, interrupt: true });
  expect(await talk.endOf(stop.id)).toMatchObject({ stop_reason: "denied" });
});

test("a question and a plan are answered in their own way", async () => {
  const questions = [
    {
      question: "Which colour?",
      header: "Colour",
      multiSelect: false,
      options: [
        { label: "red", description: "warm" },
        { label: "blue", description: "cold" },
      ],
    },
    {
      question: "Which sizes?",
      header: "Size",
      multiSelect: true,
      options: [
        { label: "S", description: "small" },
        { label: "L", description: "large" },
      ],
    },
  ];
  const stage = await setStage({
    rules: [
      { when: { tool_result: "AskUserQuestion" }, text: "Thank you." },
      { when: { user: "ask" }, tools: [{ name: "AskUserQuestion", input: { questions } }] },
      { when: { tool_result: "ExitPlanMode" }, text: "I go on." },
      { when: { user: "plan" }, tools: [{ name: "ExitPlanMode", input: { plan: "1. look" } }] },
      { text: "I am here." },
    ],
  });
  const talk = await Conversation.start(stage, {
    permissionMode: "plan",
    settings: { useAutoModeDuringPlan: false },
  });
  const ask = await talk.say("ask");
  const question = await talk.until("question");
  expect(question.questions).toMatchObject([
    { question: "Which colour?", header: "Colour", multi: false },
    { question: "Which sizes?", multi: true, options: [{ label: "S" }, { label: "L" }] },
  ]);
  await expect(
    talk.send({ type: "approve", request_id: question.request_id }),
  ).rejects.toMatchObject({ code: "invalid_params" });
  await talk.send({
    type: "answer",
    request_id: question.request_id,
    answers: { "Which colour?": "a green of my own", "Which sizes?": ["S", "L"] },
  });
  await talk.endOf(ask);
  expect(lastSent(stage)).toContain("a green of my own");
  expect(lastSent(stage)).toContain("S, L");

  const planned = await talk.say("plan");
  const plan = await talk.until("plan");
  // Claude Code would pass over these without a word.
  for (const how of [{ mode: "bypassPermissions" }, { updated_input: { plan: "less" } }] as const) {
    await expect(
      talk.send({ type: "approve", request_id: plan.request_id, ...how }),
    ).rejects.toMatchObject({ code: "invalid_params" });
  }
  await talk.send({
    type: "approve",
    request_id: plan.request_id,
    mode: "acceptEdits",
    plan: "1. look twice",
  });
  await talk.endOf(planned);
  expect(lastSent(stage)).toContain("look twice");
  await talk.until("mode_changed", { fits: ({ mode }) => mode === "acceptEdits" });
  expect(talk.session.status().mode).toBe("acceptEdits");
});

test("several approval requests at once: the first answer counts, and one without an answer is denied", async () => {
  const outside = ["one", "two"].map((name) => ({
    name: "Read",
    input: { file_path: `/etc/switchboard-${name}` },
  }));
  const stage = await setStage({
    rules: [
      { when: { user: "look" }, tools: outside },
      { when: { tool_result: "Read" }, text: "I have looked." },
    ],
  });
  const expire: (() => void)[] = [];
  const talk = await Conversation.start(stage, {
    approvalTimeoutMs: 123_000,
    timers: {
      after: (ms, run) => {
        if (ms === 123_000) expire.push(run);
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
    },
  });
  const id = await talk.say("look");
  await vi.waitFor(() => expect(talk.all("approval_request")).toHaveLength(2), 20_000);
  const [first, second] = talk.all("approval_request");
  expect(talk.session.status().pending).toHaveLength(2);
  const answers = ["ann", "bob"].map((by) =>
    talk.send({ type: "approve", request_id: first!.request_id }, by),
  );
  const [ann, bob] = await Promise.allSettled(answers);
  expect(ann).toMatchObject({ status: "fulfilled" });
  expect(bob).toMatchObject({ status: "rejected", reason: { code: "already_resolved" } });
  expire[1]?.();
  await talk.endOf(id);
  const resolved = talk.all("approval_resolved");
  expect(resolved).toMatchObject([
    { request_id: first!.request_id, outcome: "allowed", by: "ann" },
    { request_id: second!.request_id, outcome: "timed_out" },
  ]);
  expect(lastSent(stage)).toContain("No person answered before the deadline");
});

test("grants, mode, model and effort hold for a CLI that was started again", async () => {
  const stage = await setStage({
    rules: [
      { when: { tool_result: "Bash" }, text: "It is done." },
      { when: { user: "mark" }, tools: [{ name: "Bash", input: { command: "git init two" } }] },
      { text: "I am here." },
    ],
  });
  const talk = await Conversation.start(stage);
  const id = await talk.say("mark");
  const { request_id } = await talk.until("approval_request");
  await talk.send({ type: "approve", request_id, scope: "session" });
  await talk.endOf(id);
  await talk.send({ type: "set_mode", mode: "acceptEdits" }, "ann");
  await talk.send({ type: "set_model", model: "claude-test-model" });
  await talk.send({ type: "set_thinking", effort: "low" });
  await talk.ask("hello");
  const before = modelRequests(stage).at(-1)?.body;
  expect(before).toMatchObject({ model: "claude-test-model" });
  await talk.session.close("shutdown");

  const again = await Conversation.start(stage);
  await again.ask("mark");
  expect(again.all("approval_request")).toEqual([]);
  const after = modelRequests(stage).at(-1)?.body;
  expect(after).toMatchObject({
    model: "claude-test-model",
    output_config: before?.["output_config"],
  });
  expect(again.session.status()).toMatchObject({
    mode: "acceptEdits",
    model: "claude-test-model",
    effort: "low",
  });
  expect(talk.all("mode_changed")).toMatchObject([
    { mode: "acceptEdits", previous: "default", by: "ann" },
  ]);
});
