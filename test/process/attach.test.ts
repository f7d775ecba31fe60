import { resolve } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { AttachedTerminal } from "../support/attached-terminal.ts";
import type { FakeClient } from "../support/fake-session.ts";
import { FakeSession } from "../support/fake-session.ts";
import type { SessionCommand } from "../../src/wire/session-commands.ts";

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

test("a chat: history, text, an approval, an abort, and leaving", async () => {
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
  // Whoever types on while the request appears allows nothing.
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

test("a chat whose session ends, or whose connection breaks", async () => {
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

test("without a terminal: lines in, words out, everything else aside", async () => {
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
  expect(nobody.stderr).toContain("No connection to");
});

test("without a terminal: what was asked before is told with its id, and can be answered", async () => {
  const session = await staged(() => {});
  const notice = {
    type: "notice",
    code: "foreign_writer",
    message: "Somebody else has written to this session.",
    request_id: "foreign_1",
  } as const;
  const call = { request_id: "r", tool: "Bash", input: { command: "ls" } };
  const scopes = [{ scope: "once", label: "Yes" } as const];
  const asked = session.happen({ type: "approval_request", ...call, scopes });
  session.pending = [asked, session.happen(notice)];
  const attach = (input: string) =>
    execa(process.execPath, [program, "attach", session.path], { input, reject: false });

  const { stderr } = await attach("/deny foreign_1\n/approve\n");
  expect(stderr).toContain("Somebody else has written");
  expect(stderr).toContain("? /approve foreign_1 or /deny foreign_1");
  expect(stderr).toContain("? /approve r or /deny r");
  expect(session.told.filter(({ type }) => type === "deny" || type === "approve")).toMatchObject([
    { type: "deny", request_id: "foreign_1" },
    { type: "approve", request_id: "r" },
  ]);
});
