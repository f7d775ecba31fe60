import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rehearsalEnvironment } from "../../src/rehearsal/rehearsal-environment.ts";
import { startRehearsal } from "../../src/rehearsal/start-rehearsal.ts";
import { parseSessionMessage } from "../../src/wire/session/answers.ts";
import { newHome, startAgentSocket } from "../support/agent-socket-process.ts";
import type { Line, SessionLineClient } from "../support/session-line-client.ts";
import { tempDir } from "../support/temp-dir.ts";

const question = {
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  options: [
    { label: "red", description: "warm" },
    { label: "blue", description: "cold" },
  ],
};

const errand = {
  description: "an errand",
  subagent_type: "general-purpose",
  run_in_background: false,
};

const script = {
  rules: [
    { when: { tool_result: { name: "Bash", is_error: true } }, text: "Then not: ${tool_result}" },
    { when: { tool_result: "Bash" }, text: "It is done." },
    { when: { tool_result: "AskUserQuestion" }, text: "Thank you." },
    { when: { tool_result: "ExitPlanMode" }, text: "I go on." },
    { when: { tool_result: "Agent" }, text: "It says so." },
    {
      when: { user: "hold on" },
      tools: [{ name: "Bash", input: { command: "until [ -e go ]; do sleep 0.1; done" } }],
    },
    {
      when: { user: "delegate" },
      tools: [
        {
          name: "Agent",
          input: { ...errand, prompt: "touch errand" },
        },
      ],
    },
    {
      when: { user: "/^touch (?<name>\\w+)/" },
      text: "I make it.",
      tools: [{ name: "Bash", input: { command: "touch ${name}" } }],
    },
    {
      when: { user: "ask" },
      tools: [{ name: "AskUserQuestion", input: { questions: [question] } }],
    },
    { when: { user: "plan" }, tools: [{ name: "ExitPlanMode", input: { plan: "1. look" } }] },
    { when: { user: "story" }, text: "A long, long story.", delta_chars: 2, delta_delay_ms: 300 },
  ],
  default: { text: 'You said "${user}".' },
};

/** The built program on a rehearsed model, and a client that speaks plain lines. */
async function stage(...flags: string[]) {
  const rehearsal = await startRehearsal({ script });
  onTestFinished(() => rehearsal.close());
  const home = newHome();
  const env = { ...rehearsalEnvironment(rehearsal.url), CLAUDE_CONFIG_DIR: home.root };
  const host = startAgentSocket(home, ["--cwd", home.cwd, ...flags], env);
  const client = await host.connect();
  const lastRequest = (): string =>
    JSON.stringify(rehearsal.journal.entries.findLast(({ kind }) => kind === "main")?.body);
  return { host, client, lastRequest, file: (name: string) => join(home.cwd, name) };
}

const answers = ({ messages }: Line, id: string): boolean => (messages as string[]).includes(id);

const endOf = (client: SessionLineClient, id: string): Promise<Line> =>
  client.until("done", { fits: (line) => answers(line, id) });

/** Sends a message and waits for what it makes the model ask a person. */
async function asked(client: SessionLineClient, text: string, type: string): Promise<Line> {
  const since = client.told.length;
  client.send({ type: "message", text, id: text });
  return client.until(type, { since });
}

test("[SES-34] [SES-35] [SES-37] [SES-38] [SES-39] [SES-40] [SES-46] a message, its answer, and its approvals", async () => {
  const { host, client, file, lastRequest } = await stage();
  const other = await host.connect();
  other.send({ type: "attach", since: 0, client: "other" });

  const first = await asked(client, "touch one", "approval_request");
  const timeMs = Date.parse(String(first["deadline"])) - Date.parse(String(first["at"]));
  expect(Math.abs(timeMs - 300_000)).toBeLessThan(10_000);
  expect(existsSync(file("one"))).toBe(false);
  const third = await host.connect();
  expect(third.told[0]?.["pending"]).toMatchObject([{ request_id: first["request_id"] }]);
  other.send({ type: "approve", request_id: first["request_id"] });
  expect(await client.until("approval_resolved")).toMatchObject({
    outcome: "allowed",
    by: "other",
  });
  client.send({ type: "deny", request_id: first["request_id"], ref: "late" });
  expect(await client.until("error")).toMatchObject({ code: "already_resolved", ref: "late" });
  client.send({ type: "approve", request_id: "toolu_none", ref: "none" });
  expect(await client.until("error", { fits: ({ ref }) => ref === "none" })).toMatchObject({
    code: "unknown_request",
    request_id: "toolu_none",
  });
  await endOf(client, "touch one");
  expect(existsSync(file("one"))).toBe(true);

  const types = client.events.map(({ type }) => type);
  const order = ["user_message", "turn_started", "tool_use", "approval_request"];
  const rest = ["approval_resolved", "tool_result", "done"];
  expect([...order, ...rest].map((type) => types.indexOf(type))).toEqual(
    [...order, ...rest].map((type) => types.indexOf(type)).toSorted((a, b) => a - b),
  );
  const ids = ["tool_use", "approval_request", "approval_resolved", "tool_result"].map(
    (type) => client.events.find((event) => event.type === type)?.["request_id"],
  );
  expect(new Set(ids)).toEqual(new Set([first["request_id"]]));
  // The answer came in pieces, and once.
  const text = client.events
    .filter(({ type }) => type === "text_delta")
    .map((event) => event["text"]);
  expect(text.join("")).toBe("I make it.It is done.");

  const edited = await asked(client, "touch two", "approval_request");
  client.send({
    type: "approve",
    request_id: edited["request_id"],
    updated_input: { command: "touch other" },
  });
  await endOf(client, "touch two");
  expect([existsSync(file("two")), existsSync(file("other"))]).toEqual([false, true]);

  const denied = await asked(client, "touch three", "approval_request");
  client.send({ type: "deny", request_id: denied["request_id"] });
  await endOf(client, "touch three");
  expect(lastRequest()).toContain("User denied");
  expect(existsSync(file("three"))).toBe(false);

  client.send({ type: "message", text: "touch one", id: "touch one", ref: "again" });
  await client.until("ok", { fits: ({ ref }) => ref === "again" });
  client.send({ type: "message", text: "bye", id: "bye" });
  await endOf(client, "bye");
  expect(client.events.filter(({ type }) => type === "done")).toHaveLength(4);
  for (const line of client.told) expect(parseSessionMessage(line)).toMatchObject({ ok: true });
  await host.end("SIGTERM");
});

test("[SES-36] [SES-41] [SES-44] [SES-45] an unanswered request is denied; abort, mode and model work", async () => {
  const { host, client, file, lastRequest } = await stage("--approval-timeout-ms", "1500");
  const unanswered = await asked(client, "touch one", "approval_request");
  expect(unanswered["deadline"]).toEqual(expect.any(String));
  expect(await client.until("approval_resolved")).toMatchObject({ outcome: "timed_out" });
  await endOf(client, "touch one");
  expect(existsSync(file("one"))).toBe(false);

  client.send({ type: "message", text: "tell a story", id: "story" });
  await client.until("text_delta", { fits: ({ text }) => String(text).startsWith("A") });
  client.send({ type: "message", text: "zyxomma-dropped", id: "later", priority: "later" });
  await client.until("user_message", { fits: ({ id }) => id === "later" });
  client.send({ type: "abort", queue: "drop", ref: "abort" });
  expect(await endOf(client, "story")).toMatchObject({ stop_reason: "aborted" });
  expect(await client.until("message_dropped")).toMatchObject({ id: "later", reason: "aborted" });

  client.send({ type: "message", text: "just so you know", id: "quiet", quiet: true });
  await client.until("message_seen", { fits: ({ id }) => id === "quiet" });
  client.send({ type: "set_mode", mode: "acceptEdits" }, { type: "set_model", model: "sonnet" });
  expect(await client.until("mode_changed")).toMatchObject({ mode: "acceptEdits", by: "client-1" });
  await client.until("model_changed", { fits: ({ model }) => String(model).includes("sonnet") });
  client.send({ type: "message", text: "go on", id: "last" });
  await endOf(client, "last");
  expect(lastRequest()).toContain("just so you know");
  expect(lastRequest()).not.toContain("zyxomma-dropped");
  await host.end("SIGTERM");
});

test("--append-system-prompt and its file are added to the system prompt", async () => {
  const file = join(tempDir(), "prompt.md");
  writeFileSync(file, "WORDS-OF-THE-FILE\n");
  const { client, lastRequest } = await stage(
    "--append-system-prompt",
    "WORDS-OF-THE-FLAG",
    "--append-system-prompt-file",
    file,
  );
  client.send({ type: "message", text: "hello", id: "m1" });
  await endOf(client, "m1");
  const { system } = JSON.parse(lastRequest()) as { system: unknown };
  expect(JSON.stringify(system)).toMatch(/WORDS-OF-THE-FLAG.*WORDS-OF-THE-FILE/);
});

test("[SES-36] [SES-38] priorities, messages with a sender, and events of a sub-agent", async () => {
  const { client, file, lastRequest } = await stage("--allowed-tools", "Bash");
  client.send({ type: "message", text: "hold on", id: "hold" });
  await client.until("tool_use");
  client.send(
    { type: "message", text: "faster, please", id: "next", from: "a colleague" },
    { type: "message", text: "and then", id: "later", priority: "later" },
  );
  await client.until("user_message", { fits: ({ id }) => id === "later" });
  writeFileSync(file("go"), "");
  expect(await endOf(client, "next")).toMatchObject({ messages: ["hold", "next"] });
  expect(lastRequest()).toContain("faster, please");
  expect(lastRequest()).toContain("a colleague");
  expect(await endOf(client, "later")).toMatchObject({ messages: ["later"] });

  client.send({ type: "message", text: "tell a story", id: "story" });
  await client.until("text_delta", { fits: ({ text }) => String(text).startsWith("A") });
  client.send({ type: "message", text: "stop that", id: "now", priority: "now" });
  expect(await endOf(client, "story")).toMatchObject({ stop_reason: "interrupted" });
  expect(await endOf(client, "now")).toMatchObject({ messages: ["now"] });

  client.send({ type: "message", text: "delegate", id: "delegate" });
  await endOf(client, "delegate");
  const started = client.events.find(({ type }) => type === "subagent_started");
  const parent = started?.["request_id"];
  const deeds = client.events.filter((event) => event["parent"] === parent);
  expect(parent).toEqual(expect.any(String));
  // Its last words are the result of the call that started it.
  expect(deeds.map(({ type }) => type)).toEqual(["tool_use", "tool_result"]);
  const [use, result] = ["tool_use", "tool_result"].map((kind) =>
    deeds.find(({ type }) => type === kind),
  );
  expect(result?.["request_id"]).toBe(use?.["request_id"]);
  expect(client.events.find(({ type }) => type === "subagent_ended")).toMatchObject({
    request_id: parent,
    outcome: "completed",
  });
});

test("[SES-42] [SES-43] a question and a plan are requested and answered", async () => {
  const settings = JSON.stringify({ useAutoModeDuringPlan: false });
  const { client, lastRequest } = await stage("--permission-mode", "plan", "--settings", settings);
  const open = await asked(client, "ask", "question");
  client.send({
    type: "answer",
    request_id: open["request_id"],
    answers: { "Which colour?": "a green of my own" },
  });
  await endOf(client, "ask");
  expect(lastRequest()).toContain("a green of my own");

  const plan = await asked(client, "plan", "plan");
  const { request_id } = plan;
  client.send({ type: "approve", request_id, mode: "acceptEdits", plan: "1. look twice" });
  await endOf(client, "plan");
  expect(lastRequest()).toContain("look twice");
  await client.until("mode_changed", { fits: ({ mode }) => mode === "acceptEdits" });
});
