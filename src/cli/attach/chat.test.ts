import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { expect, onTestFinished, test, vi } from "vitest";
import { FakeSession } from "../../../test/support/fake-session.ts";
import { SmallTerminal } from "../../../test/support/small-terminal.ts";
import { connectSession } from "../../client/connect-session.ts";
import { Chat } from "./chat.ts";

const soon = { tries: 1000, firstDelayMs: 5, maxDelayMs: 20, factor: 2 };
const [CTRL_C, CTRL_D, ESC] = ["\u0003", "\u0004", "\u001b"];
const turn_id = "t";
const scopes = [{ scope: "once", label: "Yes" } as const];
const call = { turn_id, request_id: "r", tool: "Bash", input: { command: "ls" }, scopes };

/** Somebody at a terminal that talks with the session. */
class Seat {
  readonly terminal = new SmallTerminal(80, 12);
  readonly #keys = new PassThrough();
  done: Promise<void> = Promise.resolve();

  async attach(session: FakeSession): Promise<this> {
    let chat: Chat | undefined;
    const client = await connectSession(session.path, {
      policy: soon,
      onConnection: ({ state }) => chat?.connectionChanged(state === "connected"),
    });
    const input = Object.assign(this.#keys, { setRawMode: () => input });
    const output = Object.assign(this.terminal, { on: () => output, off: () => output });
    const terminal = { input, output } as unknown as { input: ReadStream; output: WriteStream };
    chat = new Chat(client, terminal, 10);
    this.done = chat.run();
    onTestFinished(() => client.close());
    await this.sees("ready");
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

test("a message that is being written is no reason, and outlives the answer to a request", async () => {
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

test("a call that was changed into what is none can be changed on", async () => {
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

test("a number that is none of the choices is refused on the spot", async () => {
  const session = await new FakeSession().start();
  const seat = await seatAt(session);
  const options = [{ label: "Red" }, { label: "Blue" }];
  const questions = [{ question: "Which?", options, multi: false }];
  session.happen({ type: "question", turn_id, request_id: "q", questions });
  await seat.sees("A number, or your own words");
  seat.type("7\r");
  await seat.sees("7 is none of the choices.");
  await seat.sees("Give a number from 1 to 2");
  seat.type("2\r");
  expect(await session.until("answer")).toMatchObject({ answers: { "Which?": "Blue" } });
});

test("what was entered after the session's end is shown, and told when leaving", async () => {
  const session = await new FakeSession().start();
  const seat = await seatAt(session);
  session.happen({ type: "closing", reason: "signal" });
  await seat.sees("The session ends (signal).");
  await session.stop();
  await seat.sees("the session has ended; if it is started again, this goes on");
  seat.type("are you there?\r");
  await seat.sees("not sent yet: are you there?");
  seat.type(CTRL_D);
  await seat.done;
  expect(seat.line).toBe("Not sent, as far as is known: are you there?");
});

test("a host that was killed may come back, and then hears what was entered meanwhile", async () => {
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

test("Ctrl-C twice leaves also when nobody hears that a turn shall end", async () => {
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

test("help is broken between words", async () => {
  const seat = await seatAt(await new FakeSession().start());
  seat.terminal.resize(40, 40);
  seat.type("/help\r");
  await seat.sees("knows");
  expect(seat.shown).toContain("\n  message, also /compact and what else\n  Claude Code knows");
});

test("a tall input leaves its status in sight, and nothing in the scroll-back", async () => {
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
