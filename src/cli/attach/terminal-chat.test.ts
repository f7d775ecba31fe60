import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { expect, onTestFinished, test, vi } from "vitest";
import { FakeSession } from "../../../test/support/fake-session.ts";
import { SmallTerminal } from "../../../test/support/small-terminal.ts";
import { connectSession } from "../../client/connect-session.ts";
import { Chat } from "./terminal-chat.ts";
import { byCommand } from "./observer-rows.ts";

const soon = { tries: 1000, firstDelayMs: 5, maxDelayMs: 20, factor: 2 };
const [CTRL_C, CTRL_D, ESC] = ["\u0003", "\u0004", "\u001b"];
const turn_id = "t";
const scopes = [{ scope: "once", label: "Yes" } as const];
const call = { turn_id, request_id: "r", tool: "Bash", input: { command: "ls" }, scopes };

/** A person at a terminal that talks with the session. */
class Seat {
  readonly terminal = new SmallTerminal(80, 12);
  readonly #keys = new PassThrough();
  done: Promise<void> = Promise.resolve();

  async attach(session: FakeSession, shown = "ready"): Promise<this> {
    let chat: Chat | undefined;
    const client = await connectSession(session.path, {
      policy: soon,
      onConnection: ({ state }) => chat?.connectionChanged(state === "connected"),
    });
    const input = Object.assign(this.#keys, { setRawMode: () => input });
    const output = Object.assign(this.terminal, { on: () => output, off: () => output });
    const terminal = { input, output } as unknown as { input: ReadStream; output: WriteStream };
    const elsewhere = { decide: byCommand("team VERB ID"), speak: "Speak with the lead." };
    chat = new Chat(client, terminal, { historyTurns: 10, elsewhere });
    this.done = chat.run();
    onTestFinished(() => client.close());
    await this.sees(shown);
    return this;
  }

  type(keys: string): void {
    this.#keys.write(keys);
  }

  get shown(): string {
    return this.terminal.text.join("\n");
  }

  /** The input, as it stands in the last row. */
  get line(): string {
    return this.terminal.text.at(-1) ?? "";
  }

  async sees(text: string): Promise<void> {
    await until(() => this.shown.includes(text)).catch(() => this.#fail(text));
  }

  async writes(line: string): Promise<void> {
    await until(() => this.line === line).catch(() => this.#fail(line));
  }

  #fail(wanted: string): never {
    throw new Error(`not shown: ${wanted}\n--- but:\n${this.shown}`);
  }
}

const until = (isSo: () => boolean): Promise<boolean> => vi.waitUntil(isSo, { timeout: 20_000 });

/** Lets so much time pass that a key is meant for the request that is shown. */
function later(): void {
  const now = performance.now() + 1_000;
  vi.spyOn(performance, "now").mockReturnValue(now);
}

async function seatAt(session: FakeSession): Promise<Seat> {
  onTestFinished(() => void vi.restoreAllMocks());
  return new Seat().attach(session);
}

test("a draft message is not taken for a denial's reason, and is still there after the answer", async () => {
  const session = await new FakeSession().start();
  const seat = await seatAt(session);
  seat.type("half a mess");
  await seat.writes("› half a mess");
  session.happen({ type: "approval_request", ...call });
  await seat.sees("Tab to answer");
  later();
  seat.type("\t");
  await seat.sees("change it first");
  seat.type("c");
  await seat.writes("› ls");
  seat.type(ESC);
  await seat.writes("› half a mess");
  seat.type("e");
  await seat.writes("›");
  seat.type("too wild\r");
  expect(await session.until("deny")).toMatchObject({ reason: "too wild" });
  const resolved = { turn_id, request_id: "r", outcome: "denied" } as const;
  session.happen({ type: "approval_resolved", ...resolved });
  await seat.writes("› half a mess");
});

test("after an edit that is not valid JSON, a call can be edited again", async () => {
  const session = await new FakeSession().start();
  const seat = await seatAt(session);
  session.happen({ type: "approval_request", ...call, tool: "X", input: { a: 1 } });
  await seat.sees("change it first");
  later();
  seat.type("c");
  await seat.writes('› {"a":1}');
  seat.type("x\r");
  await seat.sees("This is no JSON object");
  expect(seat.line).toBe('› {"a":1}x');
});

test("a number without a choice is refused at once", async () => {
  const session = await new FakeSession().start();
  const seat = await seatAt(session);
  const options = [{ label: "Red" }, { label: "Blue" }];
  const questions = [{ question: "Which?", options, multi: false }];
  session.happen({ type: "question", turn_id, request_id: "q", questions });
  await seat.sees("A number, or your own words");
  seat.type("7\r");
  await seat.sees("7 is not one of the choices.");
  await seat.sees("Give a number from 1 to 2");
  seat.type("2\r");
  expect(await session.until("answer")).toMatchObject({ answers: { "Which?": "Blue" } });
});

test("text that was entered after the session's end is shown, and reported on leaving", async () => {
  const session = await new FakeSession().start();
  const seat = await seatAt(session);
  session.happen({ type: "closing", reason: "signal" });
  await seat.sees("The session ends (signal).");
  await session.stop();
  await seat.sees("the session has ended; if it is started again, this goes on");
  seat.type(CTRL_C);
  await seat.sees("Ctrl-C again leaves");
  expect(seat.shown).not.toContain("the session goes on");
  seat.type("are you there?\r");
  await seat.sees("not sent yet: are you there?");
  seat.type(CTRL_D);
  await seat.done;
  expect(seat.line).toBe("Not sent, as far as is known: are you there?");
});

test("text that was entered while the host was killed reaches its successor", async () => {
  const session = await new FakeSession().start();
  const seat = await seatAt(session);
  await session.stop();
  await seat.sees("connection lost, trying again");
  seat.type("are you there?\r");
  await seat.sees("not sent yet: are you there?");
  session.onCommand = (command, host) => {
    host.answer(command, "ok");
    if (command.type !== "message") return;
    session.happen({ type: "user_message", id: command.id ?? "", text: command.text });
  };
  await session.start();
  await seat.sees("› are you there?");
  await until(() => !seat.shown.includes("not sent yet"));
  seat.type(CTRL_D);
  await seat.done;
  expect(seat.shown).not.toContain("Not sent");
});

test("Ctrl-C twice leaves even when the session does not answer the abort", async () => {
  const session = await new FakeSession().start();
  const seat = await seatAt(session);
  session.happen({ type: "turn_started", turn_id, messages: [], cause: "message" });
  await seat.sees("works");
  await session.stop();
  await seat.sees("connection lost, trying again");
  seat.type(CTRL_C);
  await seat.sees("Ctrl-C again leaves");
  seat.type(CTRL_C);
  await seat.done;
  expect(session.told).not.toContainEqual(expect.objectContaining({ type: "abort" }));
});

test("Esc ends the running turn and keeps the draft", async () => {
  const session = await new FakeSession().start();
  const seat = await seatAt(session);
  session.happen({ type: "turn_started", turn_id, messages: [], cause: "message" });
  await seat.sees("Esc stops it");
  seat.type("half a mess");
  // An arrow whose sequence comes in two pieces is no Esc.
  seat.type(ESC);
  seat.type("[D");
  seat.type("X");
  await seat.writes("› half a mesXs");
  expect(session.told.map(({ type }) => type)).not.toContain("abort");
  seat.type(ESC);
  await session.until("abort");
  await seat.writes("› half a mesXs");
});

test("a mistyped command is not sent; the line is cleared, and the up arrow brings it back", async () => {
  const session = await new FakeSession().start();
  session.slashCommands = [{ name: "compact" }, { name: "deploy" }];
  const seat = await seatAt(session);
  seat.type("/modle opus\r");
  await seat.sees("There is no command /modle. Did you mean /model?");
  await seat.writes("›");
  seat.type(`${ESC}[A`);
  await seat.writes("› /modle opus");
  seat.type(CTRL_C);
  seat.type("/show\r");
  await seat.sees("Nothing is folded.");
  seat.type("/deploy now\r");
  expect(await session.until("message")).toMatchObject({ text: "/deploy now" });
  seat.type(" /modle as it is\r");
  await session.until("message", { fits: ({ text }) => text === " /modle as it is" });
  const sent = session.told.filter(({ type }) => type === "message");
  expect(sent).toHaveLength(2);
});

test("the full output of a tool is shown by its number, also when it is a blob", async () => {
  const session = await new FakeSession().start();
  session.onCommand = (command, host) => {
    const data = Buffer.from("from\nthe\u001b[2J\ndisk").toString("base64");
    if (command.type === "get_blob") {
      host.answer(command, "blob", { blob: command.blob, bytes: 17, offset: 0, data });
    } else host.answer(command, "ok");
  };
  const seat = await seatAt(session);
  const result = { type: "tool_result", turn_id, request_id: "r", is_error: false } as const;
  session.happen({ ...result, output: "first\nsecond\nthird" });
  session.happen({ ...result, output: "short" });
  session.happen({ ...result, output: { blob: "b".repeat(64), bytes: 17, preview: "from" } });
  await seat.sees("└ first … (3 lines) /show 1");
  await seat.sees("└ short\n");
  await seat.sees("/show 2");
  seat.type("/show 1\r");
  await seat.sees("first\nsecond\nthird");
  seat.type("/show\r");
  await seat.sees("from\nthe\ndisk");
  seat.type("/show 3\r");
  await seat.sees("There is no folded output 3.");
  expect(seat.shown).toContain("Give a number from 1 to 2");
});

test("keys that were typed before the chat was up are sent with their Enter", async () => {
  const session = await new FakeSession().start();
  const seat = new Seat();
  // A terminal that is not raw yet hands over a line feed.
  seat.type("hello\n");
  await seat.attach(session);
  expect(await session.until("message")).toMatchObject({ text: "hello" });
  seat.type("two\nlines");
  await seat.writes("  lines");
});

test("an observer sees only the command that decides, and Ctrl-C leaves at once", async () => {
  const session = await new FakeSession().start();
  session.readOnly = true;
  session.happen({ type: "turn_started", turn_id, messages: [], cause: "message" });
  const seat = await new Seat().attach(session, "read only, Ctrl-C leaves");
  session.happen({ type: "approval_request", ...call });
  await seat.sees("Decide with: team approve r  or: team deny r");
  await seat.sees("waits for a decision");
  expect(seat.shown).not.toMatch(/once|Tab|stops it|change it first/);
  seat.type("y");
  seat.type(ESC);
  await seat.writes("› y");
  seat.type("es\r");
  await seat.sees("You can only watch this session here. (read_only)\n  Speak with the lead.");
  seat.type("draft");
  await seat.writes("› draft");
  seat.type(CTRL_C);
  await seat.done;
  expect(new Set(session.told.map(({ type }) => type))).toEqual(new Set(["attach"]));
});

test("help wraps between words", async () => {
  const seat = await seatAt(await new FakeSession().start());
  seat.terminal.resize(40, 40);
  seat.type("/help\r");
  await seat.sees("always a message");
  expect(seat.shown).toContain(
    "Every other line is a message. Claude\n  Code's own commands, as /compact, and\n",
  );
});

test("a tall input keeps its status visible, and leaves nothing in the scroll-back", async () => {
  const seat = await seatAt(await new FakeSession().start());
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  seat.type(`${ESC}[200~${lines.join("\r")}${ESC}[201~`);
  await seat.writes("  line 29");
  seat.type("!");
  await seat.writes("  line 29!");
  expect(seat.shown.match(/line 29/g)).toHaveLength(1);
  expect(seat.shown).not.toContain("line 9\n");
  expect(seat.shown).toContain("ready");
  seat.type(CTRL_C);
  await seat.writes("›");
});

test("a queued message is taken back into the input, and a search prints what it has found", async () => {
  const session = await new FakeSession().start();
  const hits = [{ seq: 2, type: "user_message", preview: "then the tests" }];
  session.onCommand = (command, client) => {
    if (command.type === "drop") client.answer(command, "ok", { outcome: "dropped" });
    else if (command.type === "search") client.answer(command, "found", { hits, more: false });
    else client.answer(command, "ok");
  };
  const seat = await seatAt(session);
  session.happen({ type: "turn_started", turn_id, messages: [], cause: "message" });
  session.happen({ type: "user_message", id: "m1", text: "then the tests" });
  await seat.sees("1 queued");
  seat.type("/edit\r");
  expect(await session.until("drop")).toMatchObject({ id: "m1" });
  await seat.writes("› then the tests");
  seat.type(`${CTRL_C}/find tests\r`);
  expect(await session.until("search")).toMatchObject({ text: "tests" });
  await seat.sees("message: then the tests");
});
