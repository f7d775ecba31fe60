import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { newHome, startAgentSocket, writeScript } from "../support/agent-socket-process.ts";
import { AttachedTerminal } from "../support/attached-terminal.ts";
import type { FakeClient } from "../support/fake-session.ts";
import { FakeSession } from "../support/fake-session.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { SessionCommand } from "../../src/wire/session/commands.ts";

const program = resolve(import.meta.dirname, "../../bin/agent-socket.js");
const usage = { input_tokens: 3, output_tokens: 4 };
const CTRL_C = "\u0003";

type Plot = (session: FakeSession, command: SessionCommand, host: FakeClient) => void;

/** A session that takes every message and then does what the test wants. */
async function staged(plot: Plot): Promise<FakeSession> {
  const session = await new FakeSession().start();
  session.onCommand = (command, host) => {
    if (command.type === "message") {
      const { id = "", text = "" } = command;
      session.happen({ type: "user_message", id, text });
      session.happen({ type: "turn_started", turn_id: id, messages: [id], cause: "message" });
    }
    host.answer(command, "ok");
    plot(session, command, host);
  };
  return session;
}

const end = (
  session: FakeSession,
  turn_id: string,
  stop_reason: "completed" | "aborted" | "failed",
): void => {
  const cost = { usage, cost_usd: 0.5, duration_ms: 1500 };
  session.happen({ type: "done", turn_id, messages: [turn_id], ...cost, stop_reason });
};

const lastMessage = (session: FakeSession): string =>
  session.told.findLast((command) => command.type === "message")?.id ?? "";

test("attach shows history and text, takes an approval and an abort, and leaves", async () => {
  const session = await staged((stage, command) => {
    const turn_id = lastMessage(stage);
    const call = {
      turn_id,
      request_id: "r",
      tool: "Bash",
      input: { command: "make \u001b[2Jall" },
    };
    if (command.type === "message") {
      stage.happen({ type: "text_delta", turn_id, block: 0, text: "I **look** at" });
      stage.happen({ type: "text_delta", turn_id, block: 0, text: " it.\n" });
      stage.happen({ type: "tool_use", ...call });
      const scopes = [
        { scope: "once", label: "Yes" } as const,
        { scope: "session", label: "For now" } as const,
      ];
      stage.happen({ type: "approval_request", ...call, scopes });
    } else if (command.type === "approve") {
      stage.happen({
        type: "approval_resolved",
        turn_id,
        request_id: "r",
        outcome: "allowed",
        by: "tester",
        scope: command.scope,
      });
      stage.happen({
        type: "tool_result",
        turn_id,
        request_id: "r",
        output: "built\nwell",
        is_error: false,
      });
    } else if (command.type === "abort") end(stage, turn_id, "aborted");
  });
  session.happen({ type: "user_message", id: "old", text: "an old message" });
  session.happen({ type: "turn_started", turn_id: "old", messages: ["old"], cause: "message" });
  session.happen({ type: "text_delta", turn_id: "old", block: 0, text: "an old answer" });
  end(session, "old", "completed");

  const terminal = new AttachedTerminal(session.path);
  await terminal.sees("an old answer");
  await terminal.sees("ready");
  terminal.type("go on\r");
  await terminal.sees("› go on");
  await terminal.sees("Allow Bash  make all?");
  // A person who types on while the request appears allows nothing.
  await session.until("message", { fits: ({ text }) => text === "go on" });
  await new Promise((done) => setTimeout(done, 600));
  terminal.type("s");
  expect(await session.until("approve")).toMatchObject({ request_id: "r", scope: "session" });
  await terminal.sees("└ built … (2 lines)");
  await terminal.sees("works");
  terminal.type(CTRL_C);
  await session.until("abort");
  await terminal.sees("aborted · 1.5 s");
  terminal.type(CTRL_C);
  await terminal.sees("Ctrl-C again leaves");
  terminal.type(CTRL_C);
  expect(await terminal.exitCode()).toBe(0);
  expect(terminal.raw).not.toContain("\u001b[2Jall");
  expect(terminal.raw).toContain("\u001b[1mlook");
  expect(terminal.raw.endsWith("\u001b[?2004l")).toBe(true);
});

test.each([
  { from: { columns: 80, rows: 24 }, to: { columns: 130, rows: 30 } },
  { from: { columns: 130, rows: 30 }, to: { columns: 80, rows: 24 } },
  { from: { columns: 25, rows: 10 }, to: { columns: 110, rows: 32 } },
  { from: { columns: 110, rows: 12 }, to: { columns: 25, rows: 12 } },
])("attach shows every word once when its terminal is resized in mid-stream: %j", async (sizes) => {
  const session = await new FakeSession().start();
  const terminal = new AttachedTerminal(session.path, [], sizes.from);
  await terminal.sees("ready");
  const say = (first: number, last: number): void => {
    for (let each = first; each <= last; each += 1) {
      session.happen({ type: "text_delta", turn_id: "t", block: 0, text: `word${each} ` });
    }
  };
  session.happen({ type: "turn_started", turn_id: "t", messages: [], cause: "message" });
  say(1, 350);
  await terminal.sees("word350");
  terminal.resize(sizes.to);
  say(351, 700);
  await terminal.sees("word700");
  end(session, "t", "completed");
  await terminal.sees("1.5 s");
  terminal.type("\u0004");
  expect(await terminal.exitCode()).toBe(0);
  const words = terminal.screen.replaceAll(/\s+/g, "").match(/word\d+?(?=word|3in|1\.5s)/g);
  expect(words).toEqual(Array.from({ length: 700 }, (_, index) => `word${index + 1}`));
});

test("attach says that its session has ended, or that the connection is lost", async () => {
  const session = await staged(() => {});
  const terminal = new AttachedTerminal(session.path);
  await terminal.sees("ready");
  for (const client of session.clients) client.drop();
  await terminal.sees("connection lost");
  await terminal.sees("ready");
  session.happen({ type: "closing", reason: "shutdown" });
  for (const client of session.clients) client.drop();
  await terminal.sees("The session ends (shutdown).");
  expect(await terminal.exitCode()).toBe(0);
});

test("attach without a terminal sends each line, prints the text, and leaves the rest to stderr", async () => {
  const session = await staged((stage, command) => {
    if (command.type !== "message") return;
    const turn_id = command.id ?? "";
    stage.happen({
      type: "tool_use",
      turn_id,
      request_id: turn_id,
      tool: "Bash",
      input: { command: "ls" },
    });
    stage.happen({
      type: "tool_result",
      turn_id,
      request_id: turn_id,
      output: "x",
      is_error: false,
    });
    stage.happen({ type: "text_delta", turn_id, block: 0, text: `**${command.text}** it is` });
    end(stage, turn_id, command.text === "fail" ? "failed" : "completed");
  });
  session.happen({ type: "user_message", id: "old", text: "old" });
  const attach = (input: string, ...flags: string[]) =>
    execa(process.execPath, [program, "attach", session.path, ...flags], { input, reject: false });

  const said = await attach("one\ntwo", "--wait");
  expect(said.stdout).toBe("**one** it is\n**two** it is");
  expect(said.stderr.split("\n").filter((line) => /[●└]/.test(line))).toEqual([
    "● Bash  ls",
    "  └ x",
    "● Bash  ls",
    "  └ x",
  ]);
  expect(said.exitCode).toBe(0);

  const events = await attach("three\n", "--wait", "--json");
  const types = events.stdout
    .split("\n")
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types).toEqual([
    "user_message",
    "turn_started",
    "tool_use",
    "tool_result",
    "text_delta",
    "done",
  ]);

  const failed = await attach("fail\n", "--wait");
  expect(failed.exitCode).toBe(70);
  expect(failed.stderr).toContain("The turn ended with failed.");
  const sent = await attach("/mode plan\nfour\n/quit\n");
  expect(sent.exitCode).toBe(0);
  expect(session.told.at(-1)).toMatchObject({ type: "message", text: "four" });
  expect(session.told.findLast(({ type }) => type === "set_mode")).toMatchObject({ mode: "plan" });
  const nobody = await execa(process.execPath, [program, "attach", `${session.path}.not`], {
    reject: false,
  });
  expect(nobody.exitCode).toBe(69);
  expect(nobody.stderr).toContain("Could not connect to");
});

test("attach without a terminal fails when the CLI of the session cannot start", async () => {
  const home = newHome();
  const broken = join(home.root, "claude");
  const version = `[ "$1" = --version ] && exec "${locateCli()}" --version`;
  writeFileSync(broken, `#!/bin/sh\n${version}\nexit 1\n`, { mode: 0o755 });
  const script = writeScript(home, "default: { text: hi }\n");
  const args = ["--cwd", home.cwd, "--rehearsal", script, "--claude-path", broken];
  const host = startAgentSocket(home, args);
  const { session_id } = await host.ready;
  const { exitCode, stderr } = await execa(
    process.execPath,
    [program, "attach", session_id.slice(0, 8), "--wait"],
    { input: "hello\n", env: home.env, extendEnv: false, reject: false },
  );
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 70,
    stderr: expect.stringMatching(
      /The session (?:failed|has ended) and a message was not answered/,
    ),
  });
});

test("attach without a terminal shows an earlier request with its id, and takes the answer", async () => {
  const session = await staged(() => {});
  const notice = {
    type: "notice",
    code: "foreign_writer",
    message: "Another program has written to this session.",
    request_id: "foreign_1",
  } as const;
  const call = { request_id: "r", tool: "Bash", input: { command: "ls" } };
  const scopes = [{ scope: "once", label: "Yes" } as const];
  const asked = session.happen({ type: "approval_request", ...call, scopes });
  session.pending = [asked, session.happen(notice)];
  const attach = (input: string) =>
    execa(process.execPath, [program, "attach", session.path], { input, reject: false });

  const { stderr } = await attach("/deny foreign_1\n/approve\n");
  expect(stderr).toContain("Another program has written");
  expect(stderr).toContain("? /approve foreign_1 or /deny foreign_1");
  expect(stderr).toContain("? /approve r or /deny r");
  expect(session.told.filter(({ type }) => type === "deny" || type === "approve")).toMatchObject([
    { type: "deny", request_id: "foreign_1" },
    { type: "approve", request_id: "r" },
  ]);
});

test("attach without a terminal shows the log of an ended session, and refuses a message to it", async () => {
  const log = tempDir();
  const at = "2026-01-02T03:04:05.678Z";
  const questions = [{ question: "Which?", options: [{ label: "Red" }], multi: false }];
  const cost = { usage, cost_usd: 0.5, duration_ms: 1500, stop_reason: "completed" };
  const events = [
    { type: "notice", code: "rehearsal", message: "The model is a script." },
    { type: "user_message", id: "1", text: "first" },
    { type: "turn_started", turn_id: "t", messages: ["1"], cause: "message" },
    { type: "question", turn_id: "t", request_id: "q", questions },
    { type: "approval_resolved", turn_id: "t", request_id: "q", outcome: "allowed" },
    { type: "done", turn_id: "t", messages: ["1"], ...cost },
    { type: "user_message", id: "2", text: "second" },
    { type: "text_delta", turn_id: "u", block: 0, text: "An old answer." },
  ].map((event, index) => ({
    seq: index + 1,
    ...(event.type !== "text_delta" && { at }),
    ...event,
  }));
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(join(log, "events.jsonl"), lines.join(""));
  const attach = (input: string, ...flags: string[]) =>
    execa(process.execPath, [program, "attach", log, ...flags], { input, reject: false });

  const whole = await attach("");
  expect(whole).toMatchObject({ exitCode: 0, stdout: "An old answer." });
  expect(whole.stderr).toContain("$0.5000 (rehearsed: nothing was paid)");
  // The question was answered long ago.
  expect(whole.stderr).toContain("Which?");
  expect(whole.stderr).not.toMatch(/^\? /m);
  const told = async (...flags: string[]): Promise<unknown> =>
    (await attach("", "--json", ...flags)).stdout.split("\n").map((line) => JSON.parse(line));
  expect(await told()).toEqual(events);
  expect(await told("--history", "1")).toEqual(events.slice(6));

  for (const [input, ...flags] of [
    ["What is 2+2?", "--wait"],
    ["/approve", "--json"],
  ] as const) {
    const refused = await attach(`${input}\n`, ...flags);
    expect(refused).toMatchObject({ exitCode: 77, stdout: "" });
    expect(refused.stderr).toContain("read_only");
  }
});

test("a terminal that cannot move its cursor gets lines without control sequences", async () => {
  const session = await staged((stage, command) => {
    if (command.type !== "message") return;
    const turn_id = command.id ?? "";
    stage.happen({ type: "text_delta", turn_id, block: 0, text: "Hello yourself." });
    end(stage, turn_id, "completed");
  });
  const terminal = new AttachedTerminal(session.path, [], undefined, undefined, "dumb");
  terminal.type("hello\n");
  await terminal.sees("Hello yourself.");
  terminal.type("/quit\n");
  expect(await terminal.exitCode()).toBe(0);
  expect(terminal.raw).not.toContain("\u001b");
});
