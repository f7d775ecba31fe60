import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import { expect, test } from "vitest";
import { FakeSession } from "../../../test/support/fake-session.ts";
import { connectSession } from "../../client/connect-session.ts";
import { PlainChat } from "./plain-chat.ts";

const soon = { tries: 1000, firstDelayMs: 5, maxDelayMs: 20, factor: 2 };
const ended = {
  usage: { input_tokens: 0, output_tokens: 0 },
  cost_usd: 0,
  duration_ms: 0,
  stop_reason: "completed",
} as const;
const turn_id = "t";
const call = { turn_id, request_id: "r", tool: "Bash", input: { command: "ls" } };

/** The turn of this message, up to its request. */
function begin(session: FakeSession, id: string): void {
  session.happen({ type: "user_message", id, text: "hello" });
  session.happen({ type: "turn_started", turn_id, messages: [id], cause: "message" });
  session.happen({ type: "text_delta", turn_id, block: 0, text: "I look.\n" });
  session.happen({ type: "tool_use", ...call });
  const scopes = [{ scope: "once", label: "Yes" } as const];
  session.happen({ type: "approval_request", ...call, scopes });
}

/** Tells once more what there was, as the log does when it begins a new file. */
function rotate(session: FakeSession, again: () => void): void {
  const upto = session.lastSeq;
  session.happen({ type: "snapshot_begin", upto });
  again();
  session.happen({ type: "snapshot_end", upto });
}

/** What it writes when `hello` is its only line and it stays until that is answered. */
async function run(
  session: FakeSession,
  { json = false, historyTurns = 0 } = {},
): Promise<{ out: string; aside: string }> {
  let chat: PlainChat | undefined;
  const client = await connectSession(session.path, {
    since: historyTurns > 0 ? 0 : "latest",
    policy: soon,
    onConnection: ({ state }) => chat?.connectionChanged(state === "connected"),
  });
  const [input, output, aside] = [new PassThrough(), new PassThrough(), new PassThrough()];
  input.end("hello\n");
  const options = { input, output, aside, json, wait: true, follow: false, historyTurns };
  chat = new PlainChat(client, options);
  await chat.run();
  output.end();
  aside.end();
  return { out: await text(output), aside: await text(aside) };
}

/** A session whose log begins a new file before anything is told, and again in the middle of the turn. */
async function rotating(): Promise<FakeSession> {
  const session = await new FakeSession().start();
  session.happen({ type: "text_delta", turn_id: "old", block: 0, text: "long ago\n" });
  session.onCommand = (command, host) => {
    host.answer(command, "ok");
    if (command.type !== "message") return;
    const { id = "" } = command;
    rotate(session, () =>
      session.happen({ type: "text_delta", turn_id: "old", block: 0, text: "long ago\n" }),
    );
    begin(session, id);
    rotate(session, () => begin(session, id));
    session.happen({ type: "text_delta", turn_id, block: 1, text: "Done.\n" });
    session.happen({ type: "done", turn_id, messages: [id], ...ended });
  };
  return session;
}

test("[SES-50] the snapshot of a new log file is skipped", async () => {
  const { out, aside } = await run(await rotating());
  expect(out).toBe("I look.\nDone.\n");
  expect(aside.split("\n").filter((line) => /^[●?]/.test(line))).toEqual([
    "● Bash  ls",
    "? /approve r or /deny r",
  ]);
});

test("in JSON a snapshot without anything new has only its first and last event", async () => {
  const { out } = await run(await rotating(), { json: true });
  expect(out.match(/I look/g)).toHaveLength(1);
  expect(out.match(/"snapshot_begin"/g)).toHaveLength(2);
});

test("[SES-12] after a reset the snapshot is shown", async () => {
  const session = await new FakeSession().start();
  session.onCommand = ({ type }, host) => {
    if (type !== "message") return;
    host.drop();
    // All that it could have gone on from is in another file by now.
    session.log.length = 0;
    session.forgotten = 100;
    const { id = "" } = session.told.at(-1) as { id?: string };
    rotate(session, () => begin(session, id));
    session.happen({ type: "done", turn_id, messages: [id], ...ended });
  };
  expect((await run(session)).out).toBe("I look.\n");
});

test("a question is shown with its choices and the command that answers it", async () => {
  const session = await new FakeSession().start();
  const options = [{ label: "Red", description: "the warm one" }, { label: "Blue" }];
  session.onCommand = (command, host) => {
    host.answer(command, "ok");
    if (command.type !== "message") return;
    const { id = "" } = command;
    session.happen({ type: "turn_started", turn_id, messages: [id], cause: "message" });
    const questions = [{ question: "Which colour?", options, multi: false }];
    session.happen({ type: "question", turn_id, request_id: "q", questions });
    session.happen({ type: "done", turn_id, messages: [id], ...ended });
  };
  const { aside } = await run(session);
  expect(aside.split("\n").slice(0, 5)).toEqual([
    "Which colour?",
    "  1  Red  the warm one",
    "  2  Blue",
    "A number, or your own words",
    "? /answer q ANSWER or /deny q",
  ]);
});

test("--follow stays after the end of input, until the session ends", async () => {
  const session = await new FakeSession().start();
  const client = await connectSession(session.path, { since: "latest", policy: soon });
  const [input, output, aside] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const options = { input, output, aside, json: true, wait: false, follow: true };
  const running = new PlainChat(client, options).run();
  input.end();
  await finished(input.resume());
  session.happen({ type: "text_delta", turn_id, block: 0, text: "later" });
  session.happen({ type: "closing", reason: "shutdown" });
  for (const each of session.clients) each.drop();
  await running;
  output.end();
  expect(await text(output)).toContain('"later"');
});

/** It would put something into a person's clipboard. */
const trick = "a\u001b]52;c;ZXZpbA==\u0007b\n";

test.for([
  [true, "ab\n"],
  [false, trick],
] as const)(
  "control sequences in a model's text (%j) are removed for a terminal, and kept elsewhere",
  async ([isTTY, said]) => {
    const session = await new FakeSession().start();
    session.onCommand = (command, host) => {
      if (command.type !== "message") return;
      const { id = "" } = command;
      session.happen({ type: "user_message", id, text: "hello" });
      session.happen({ type: "text_delta", turn_id, block: 0, text: trick });
      session.happen({ type: "done", turn_id, messages: [id], ...ended });
      host.answer(command, "ok");
    };
    const client = await connectSession(session.path, { since: "latest", policy: soon });
    const [input, aside] = [new PassThrough(), new PassThrough()];
    const output = Object.assign(new PassThrough(), { isTTY });
    input.end("hello\n");
    const follow = { json: false, wait: true, follow: false };
    await new PlainChat(client, { input, output, aside, ...follow }).run();
    output.end();
    expect(await text(output)).toBe(said);
  },
);

test("messages that are open when the session ends count as failed", async () => {
  const session = await new FakeSession().start();
  session.onCommand = (command, host) => {
    host.answer(command, "ok");
    if (command.type !== "message") return;
    session.happen({ type: "user_message", id: command.id ?? "", text: "hello" });
    session.happen({ type: "closing", reason: "failed", message: "the CLI cannot start" });
    void session.stop();
  };
  await expect(run(session)).rejects.toMatchObject({
    code: "execution_failed",
    message: 'The session failed and a message was not answered ("hello"): the CLI cannot start',
  });
});

test("a message that the session drops has failed, and the error names it", async () => {
  const session = await new FakeSession().start();
  session.onCommand = (command, host) => {
    host.answer(command, "ok");
    if (command.type !== "message") return;
    const { id = "" } = command;
    session.happen({ type: "user_message", id, text: "hello" });
    session.happen({ type: "message_dropped", id, reason: "aborted" });
  };
  await expect(run(session)).rejects.toMatchObject({
    code: "execution_failed",
    message: 'The message "hello" was dropped.',
  });
});

test("a session that a signal ends before it answers has failed, and the error names the message", async () => {
  const session = await new FakeSession().start();
  session.onCommand = (command, host) => {
    host.answer(command, "ok");
    if (command.type !== "message") return;
    session.happen({ type: "user_message", id: command.id ?? "", text: "hello" });
    session.happen({ type: "closing", reason: "signal" });
    void session.stop();
  };
  await expect(run(session)).rejects.toMatchObject({
    code: "execution_failed",
    message: 'The session has ended and a message was not answered ("hello").',
    hint: expect.stringContaining("--resume"),
  });
});

test("a host that says that it ends and stays connected, as a replay does, is waited for", async () => {
  const session = await new FakeSession().start();
  session.onCommand = (command, host) => {
    host.answer(command, "ok");
    if (command.type !== "message") return;
    const { id = "" } = command;
    session.happen({ type: "closing", reason: "signal" });
    begin(session, id);
    session.happen({ type: "done", turn_id, messages: [id], ...ended });
  };
  expect((await run(session)).out).toBe("I look.\n");
});

/** Two messages with their answers, the second after a request that was allowed. */
function happenedBefore(session: FakeSession): void {
  session.happen({ type: "user_message", id: "1", text: "first" });
  session.happen({ type: "text_delta", turn_id: "1", block: 0, text: "One.\n" });
  begin(session, "2");
  const resolved = { turn_id, request_id: "r", outcome: "allowed" } as const;
  session.happen({ type: "approval_resolved", ...resolved });
  session.happen({ type: "done", turn_id, messages: ["2"], ...ended });
}

test.each([
  { historyTurns: 0, out: "Now.\n" },
  { historyTurns: 1, out: "I look.\nNow.\n" },
  { historyTurns: 2, out: "One.\nI look.\nNow.\n" },
  { historyTurns: Number.POSITIVE_INFINITY, out: "One.\nI look.\nNow.\n" },
])(
  "the plain view prints the last earlier messages before the answer: %j",
  async ({ historyTurns, out }) => {
    const session = await new FakeSession().start();
    happenedBefore(session);
    session.onCommand = (command, host) => {
      host.answer(command, "ok");
      if (command.type !== "message") return;
      session.happen({ type: "text_delta", turn_id: "3", block: 0, text: "Now.\n" });
      session.happen({ type: "done", turn_id: "3", messages: [command.id ?? ""], ...ended });
    };
    const told = await run(session, { historyTurns });
    expect(told.out).toBe(out);
    // It was answered long ago.
    expect(told.aside).not.toContain("/approve r");
  },
);

test("a mistyped command is refused and not sent", async () => {
  const session = await new FakeSession().start();
  session.slashCommands = [{ name: "compact" }];
  const client = await connectSession(session.path, { since: "latest", policy: soon });
  const [input, output, aside] = [new PassThrough(), new PassThrough(), new PassThrough()];
  input.end("/compcat\n");
  const options = { input, output, aside, json: false, wait: true, follow: false };
  await expect(new PlainChat(client, options).run()).rejects.toThrow("Did you mean /compact?");
  await client.close();
  expect(session.told.map(({ type }) => type)).not.toContain("message");
});
