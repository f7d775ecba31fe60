import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";
import { cliPidOf, isRunning } from "../support/stage-processes.ts";
import { conversationOf, copiesInLast, leaveMark, modelRequests } from "../support/requests.ts";

test("mode, model and effort change while the session runs; the sender gets the CLI's refusal", async () => {
  const stage = await setStage({ rules: [{ text: "I am here." }] });
  const talk = await Conversation.start(stage);
  // Before the CLI is up.
  await talk.send({ type: "set_model", model: "claude-first-model" }, "ann");
  await talk.ask("hello");
  expect(modelRequests(stage).at(-1)?.body).toMatchObject({ model: "claude-first-model" });
  await talk.send({ type: "set_mode", mode: "plan" }, "bob");
  expect(talk.all("mode_changed")).toMatchObject([
    { mode: "plan", previous: "default", by: "bob" },
  ]);
  await expect(talk.send({ type: "set_mode", mode: "bypassPermissions" })).rejects.toMatchObject({
    code: "execution_failed",
  });
  await talk.send({ type: "set_thinking", effort: "high" });
  await talk.ask("hello");
  expect(conversationOf(modelRequests(stage).at(-1))).not.toBe("[]");
  expect(talk.session.status()).toMatchObject({ mode: "plan", effort: "high" });
  // The CLI is asked for it when the first turn is over.
  await talk.until("usage", { fits: ({ context }) => context !== undefined });
  const { slash_commands, context } = talk.session.status();
  expect(slash_commands?.map(({ name }) => name)).toContain("compact");
  expect(context?.window).toBeGreaterThan(1_000);
});

test("the size of the context is that of the model which is in use", async () => {
  const stage = await setStage({ rules: [{ text: "I am here." }] });
  const talk = await Conversation.start(stage, { model: "claude-opus-5-5" });
  await talk.ask("hello");
  const first = await talk.until("usage", { fits: ({ context }) => context !== undefined });
  const since = talk.told.length;
  await talk.send({ type: "set_model", model: "claude-sonnet-4-5" });
  await talk.ask("hello");
  const second = await talk.until("usage", {
    since,
    fits: ({ context }) => context !== undefined,
  });
  expect(second.context?.window).toBeLessThan(first.context?.window ?? 0);
});

test("[SES-45] a model that a start asks for holds, also when its first CLI dies before it was asked anything", async () => {
  const stage = await setStage({ rules: [{ text: "I am here." }] });
  const talk = await Conversation.start(stage);
  await talk.send({ type: "set_model", model: "claude-first-model" });
  await talk.send({ type: "set_thinking", effort: "low" });
  await talk.ask("hello");
  await talk.session.close("shutdown");

  const again = await Conversation.start(stage, { model: "claude-other-model", effort: "high" });
  await expect.poll(() => isRunning(stage), { timeout: 30_000 }).toBe(true);
  process.kill(cliPidOf(stage), "SIGKILL");
  await again.until("notice", { fits: ({ code }) => code === "cli_restarted" });
  await again.ask("hello");
  expect(modelRequests(stage).at(-1)?.body).toMatchObject({
    model: "claude-other-model",
    output_config: { effort: "high" },
  });
});

test("[SES-53] a compaction is reported when it begins, and when it fails", async () => {
  const stage = await setStage({
    rules: [
      { when: { kind: "side", user: "PROBE-FAIL" }, fault: { kind: "http", status: 400 } },
      { when: { kind: "side" }, text: "<summary>We met.</summary>" },
      { text: "I am here." },
    ],
  });
  const talk = await Conversation.start(stage);
  await talk.ask("hello");
  await talk.ask("/compact");
  expect(talk.all("compacting")).toHaveLength(1);
  expect(talk.all("compacted")).toMatchObject([{ trigger: "manual" }]);
  await talk.ask("hello");
  await talk.ask("/compact PROBE-FAIL");
  expect(talk.all("compacting")).toHaveLength(2);
  expect(talk.all("compacted")).toHaveLength(1);
  expect(talk.all("notice").filter(({ code }) => code === "compaction_failed")).toMatchObject([
    { message: expect.stringContaining("400"), hint: expect.stringMatching(/\w/) },
  ]);
});

test("/clear continues in another session of the CLI, and so does the next host", async () => {
  const stage = await setStage({ rules: [{ text: "I am here." }] });
  const talk = await Conversation.start(stage);
  const before = talk.session.status().session_id;
  const first = await talk.ask("I am Eve PROBE-1");
  await talk.ask("/clear");
  const changed = await talk.until("session_changed", {
    fits: ({ previous }) => previous !== undefined,
  });
  expect(changed.previous).toBe(before);
  const second = await talk.ask("hello PROBE-2");
  expect(copiesInLast(stage, "PROBE-1")).toBe(0);
  // The CLI counts from nothing again.
  expect(Math.abs(second.cost_usd - first.cost_usd)).toBeLessThan(first.cost_usd / 2);
  process.kill(cliPidOf(stage), "SIGKILL");
  await talk.until("notice");
  await talk.ask("hello PROBE-3");
  expect(copiesInLast(stage, "PROBE-2")).toBe(1);
  expect(talk.session.status().session_id).toBe(changed.session_id);
  expect(talk.all("message_seen")).toHaveLength(4);
});

test("a failure of the API is an error and the end of the turn, and the session goes on", async () => {
  const stage = await setStage({
    rules: [
      // First, because words that were never answered stand before the next ones.
      { when: { user: "hello" }, text: "I am here." },
      { when: { user: "forbidden" }, fault: { kind: "http", status: 403 } },
    ],
  });
  const talk = await Conversation.start(stage);
  const failed = await talk.ask("forbidden");
  expect(failed.stop_reason).toBe("failed");
  expect(talk.all("error")).toMatchObject([
    { code: "authentication_failed", turn_id: failed.turn_id },
  ]);
  expect(await talk.ask("hello")).toMatchObject({ stop_reason: "completed" });
});

const agent = (more: object) => ({
  name: "Agent",
  input: { description: "look", prompt: "subtask", subagent_type: "general-purpose", ...more },
});

test("a sub-agent's events carry its call; MCP servers that fail are named", async () => {
  const stage = await setStage({
    rules: [
      { when: { user: "fore" }, tools: [agent({ run_in_background: false })], times: 1 },
      { when: { user: "back" }, tools: [agent({})], times: 1 },
      { when: { user: "subtask" }, tools: [leaveMark("sub")], times: 1 },
      { text: "I am here." },
    ],
  });
  const talk = await Conversation.start(stage, {
    mcpServers: { broken: { type: "stdio", command: "/nowhere/at/all", args: [] } },
    toolsOf: () => ["mend"],
  });
  const { servers } = await talk.until("mcp_status", {
    fits: (event) => event.servers.some(({ status }) => status === "failed"),
  });
  expect(servers).toMatchObject([
    { name: "broken", status: "failed", error_type: "BridgeStartupError", tools: ["mend"] },
  ]);
  const notice = await talk.until("notice", { fits: ({ code }) => code === "mcp_server_failed" });
  expect(notice.message).toContain("mcp__broken__mend");

  const fore = await talk.say("fore");
  const request = await talk.until("approval_request");
  const started = await talk.until("subagent_started");
  expect(request.parent).toBe(started.request_id);
  expect(started).toMatchObject({ agent: "general-purpose", background: false });
  await talk.send({ type: "approve", request_id: request.request_id });
  await talk.endOf(fore);
  expect(talk.all("subagent_ended")).toMatchObject([
    { request_id: started.request_id, outcome: "completed" },
  ]);

  await talk.ask("back");
  const second = talk.all("subagent_started").at(-1);
  expect(second).toMatchObject({ background: true });
  await talk.until("subagent_ended", {
    fits: ({ request_id }) => request_id === second?.request_id,
  });
  await talk.until("turn_started", { fits: ({ cause }) => cause === "background" });
});

test("a session that cannot start fails with a code for the reason", async () => {
  const stage = await setStage({ rules: [{ text: "I am here." }] });
  await expect(
    Conversation.start(stage, { cwd: join(stage.cwd, "nowhere") }),
  ).rejects.toMatchObject({ code: "cwd_not_found" });

  const unknown = "11111111-2222-4333-8444-555555555555";
  const lost = await Conversation.start(stage, { sessionId: unknown, origin: { resume: unknown } });
  expect(await lost.session.closed).toMatchObject({
    reason: "failed",
    error: { code: "session_not_found" },
  });
  expect(lost.told.at(-1)).toMatchObject({ type: "closing", reason: "failed" });
});

test("a CLI that never starts is given up, and so is one whose directory is gone", async () => {
  const stage = await setStage({ rules: [{ text: "I am here." }] });
  const claudePath = join(stage.configDir, "program");
  writeFileSync(claudePath, "#!/bin/sh\necho 'no such option' >&2\nexit 3\n", { mode: 0o755 });
  const timers = {
    after: (_ms: number, run: () => void) => {
      const timer = setTimeout(run, 1);
      return () => clearTimeout(timer);
    },
  };
  const broken = await Conversation.start(stage, { claudePath, timers });
  expect(await broken.session.closed).toMatchObject({
    reason: "failed",
    error: { code: "cli_exited", message: expect.stringContaining("no such option") },
  });

  const other = await setStage({ rules: [{ text: "I am here." }] });
  const talk = await Conversation.start(other);
  await talk.ask("hello");
  rmSync(other.cwd, { recursive: true });
  process.kill(cliPidOf(other), "SIGKILL");
  expect(await talk.session.closed).toMatchObject({ error: { code: "cwd_not_found" } });
});
