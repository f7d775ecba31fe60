import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { LoggedSession } from "../../../test/support/logged-session.ts";
import { loggedSession } from "../../../test/support/logged-session.ts";
import { SessionLineClient } from "../../../test/support/session-line-client.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { createLogger } from "../../log/logger.ts";
import { parseSessionMessage } from "../../wire/session/answers.ts";
import type { ServeOptions, SessionServer } from "./serve-session.ts";
import { serveSession } from "./serve-session.ts";

const logger = createLogger({ name: "test" });

async function serve(
  session: LoggedSession,
  options: Partial<ServeOptions> = {},
): Promise<SessionServer> {
  const about = { version: "1.2.3", rehearsal: false };
  const server = await serveSession(session, { about, logger, onEnd: () => {}, ...options });
  onTestFinished(() => server.close());
  return server;
}

async function connect(path: string): Promise<SessionLineClient> {
  const client = new SessionLineClient(path);
  await client.until("init");
  return client;
}

test("[SES-2] [SES-3] [SES-5] [SES-48] a client gets init first and then new events", async () => {
  const session = loggedSession();
  session.say("before");
  const { path } = await serve(session);
  const client = await connect(path);
  session.say("after");
  await client.until("text_delta");
  expect(client.told).toEqual([
    expect.objectContaining({ type: "init", protocol: 1, version: "1.2.3", last_seq: 1 }),
    expect.objectContaining({ type: "text_delta", seq: 2, text: "after" }),
  ]);
  expect(client.told[0]).toMatchObject({ read_only: false, client: "client-1" });
  expect(client.told.every((line) => parseSessionMessage(line).ok)).toBe(true);
});

test("[SES-3] events that init counts do not come again", async () => {
  const session = loggedSession();
  const { path } = await serve(session);
  const client = new SessionLineClient(path);
  // Told together, in one batch that begins before init and ends after it.
  const timer = setInterval(() => session.say("x"), 0);
  onTestFinished(() => clearInterval(timer));
  await client.until("text_delta");
  clearInterval(timer);
  const [init, ...rest] = client.told;
  expect(rest[0]?.seq).toBe(Number(init?.["last_seq"]) + 1);
});

test("[SES-10] attach brings every event after since once, then live ones", async () => {
  const session = loggedSession();
  const { path } = await serve(session);
  for (let n = 0; n < 1000; n += 1) session.say(`word ${n}`);
  await session.log.durable();
  const client = await connect(path);
  client.send({ type: "attach", since: 100, ref: "a", client: "web" });
  // While it is sent the past, more happens.
  const timer = setInterval(() => session.say("more"), 0);
  onTestFinished(() => clearInterval(timer));
  await client.until("text_delta", { fits: ({ seq }) => Number(seq) > 1500 });
  clearInterval(timer);
  const last = session.say("last");
  await client.until("text_delta", { fits: ({ seq }) => seq === last });
  expect(await client.until("attached")).toMatchObject({
    ref: "a",
    since: 100,
    reset: false,
    client: "web",
    log_id: session.log.logId,
  });
  expect(client.seqs).toEqual(Array.from({ length: last - 100 }, (_, n) => n + 101));
});

test("[SES-4] the bytes on the wire are the bytes of the log", async () => {
  const directory = tempDir();
  const session = loggedSession({ directory });
  const { path } = await serve(session);
  const client = await connect(path);
  session.log.append({ type: "user_message", id: "m1", text: "Größe \u2028 😀" });
  session.say("x");
  await client.until("text_delta");
  const [, ...events] = Buffer.concat(client.chunks)
    .toString()
    .split(/(?<=\n)/);
  expect(events.join("")).toBe(readFileSync(join(directory, "events.jsonl"), "utf8"));
});

test.each([
  ["another log", { since: 1, log_id: "other" }],
  ["an event that is not there", { since: 99 }],
  ["an epoch that has not begun", { since: 1, epoch: 9 }],
])("[SES-11] [SES-12] attach to %s starts over", async (_, command) => {
  const session = loggedSession();
  session.say("one");
  session.say("two");
  const { path } = await serve(session);
  const client = await connect(path);
  client.send({ type: "attach", ...command });
  await client.until("text_delta", { fits: ({ text }) => text === "two" });
  expect(await client.until("attached")).toMatchObject({ reset: true, since: 0 });
  expect(client.seqs).toEqual([1, 2]);
});

test("[SES-13] attach again starts again, on the same connection", async () => {
  const session = loggedSession();
  for (let n = 0; n < 100; n += 1) session.say("x");
  await session.log.durable();
  const { path } = await serve(session);
  const client = await connect(path);
  client.send({ type: "attach", since: 0 }, { type: "attach", since: 90 });
  session.say("end");
  await client.until("attached", { fits: ({ since }) => since === 90 });
  const expected = [91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101];
  await vi.waitFor(() => expect(client.seqs).toEqual(expected), { timeout: 10_000 });
});

test("[SES-8] [SES-16] a line that cannot be read or carried out gets an error, and the next line works", async () => {
  const session = loggedSession();
  const { path } = await serve(session);
  const client = await connect(path);
  const cases: [string | Uint8Array, object][] = [
    ["nonsense\n", { code: "parse_error" }],
    [Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]), { code: "parse_error" }],
    ["[]\n", { code: "invalid_request" }],
    ['{"type":"dance","ref":"r1"}\n', { code: "method_not_found", ref: "r1" }],
    ['{"type":"offer_tools"}\n', { code: "invalid_params" }],
    ['{"type":"message","ref":"r2"}\n', { code: "invalid_params", ref: "r2" }],
    [
      '{"type":"approve","request_id":"q","ref":"r3"}\n',
      { code: "unknown_request", ref: "r3", request_id: "q" },
    ],
    ['{"type":"set_model","model":"bad"}\n', { code: "execution_failed" }],
    ['{"type":"get_blob","blob":"none"}\n', { code: "blob_not_found" }],
  ];
  for (const [line, expected] of cases) {
    const since = client.told.length;
    client.sendRaw(line);
    expect(await client.until("error", { since })).toMatchObject(expected);
    client.send({ type: "ping" });
    await client.until("pong", { since });
  }
  expect(client.told.filter(({ type }) => type === "error")).toHaveLength(cases.length);
});

test("[SES-1] [SES-7] lines end only at a newline, and unknown fields are ignored", async () => {
  const session = loggedSession();
  const { path } = await serve(session);
  const client = await connect(path);
  client.sendRaw('\n  \n{"type":"message","text":"a\u2028b","new_field":{"x":1}}\r\n{"type":');
  client.sendRaw('"ping","ref":"1"}\n');
  expect(await client.until("pong")).toMatchObject({ type: "pong", ref: "1" });
  expect(session.handled).toMatchObject([{ command: { type: "message", text: "a\u2028b" } }]);
  session.say("c\u2028d");
  expect(await client.until("text_delta")).toMatchObject({ text: "c\u2028d" });
  expect(Buffer.concat(client.chunks).toString()).not.toContain("\u2028");
});

test("[SES-19] commands of one client run in order, however many there are", async () => {
  const session = loggedSession();
  const { path } = await serve(session);
  const client = await connect(path);
  const texts = Array.from({ length: 500 }, (_, n) => `message ${n}`);
  client.send(...texts.map((text) => ({ type: "message", text, ref: text })));
  await client.until("ok", { fits: ({ ref }) => ref === texts.at(-1) });
  const taken = session.handled.map(({ command }) => command.type === "message" && command.text);
  expect(taken).toEqual(texts);
});

test("[SES-17] a line that is too long is refused and skipped", async () => {
  const session = loggedSession();
  const { path } = await serve(session);
  const client = await connect(path);
  client.sendRaw(`{"type":"message","text":"${"x".repeat(20_000_000)}"}\n`);
  client.send({ type: "ping" });
  await client.until("pong");
  expect(client.told.slice(1)).toMatchObject([
    { type: "error", code: "message_too_large" },
    { type: "pong" },
  ]);
  expect(session.handled).toEqual([]);
});

test("[SES-18] a command with a ref and without an answer of its own gets ok", async () => {
  const session = loggedSession();
  const { path } = await serve(session);
  const client = await connect(path);
  client.send({ type: "message", text: "hi", ref: "m" }, { type: "abort" });
  client.send({ type: "set_mode", mode: "plan", ref: "s" });
  expect(await client.until("ok", { fits: ({ ref }) => ref === "s" })).toEqual({
    type: "ok",
    ref: "s",
  });
  expect(client.told.map(({ type }) => type)).toEqual(["init", "ok", "ok"]);
});

test("[SES-9] names are unique, generated where none was given, and reusable afterwards", async () => {
  const session = loggedSession();
  const { path } = await serve(session);
  const [first, second] = [await connect(path), await connect(path)];
  for (const client of [first, second]) {
    client.send({ type: "attach", since: 0, client: "web" });
    await client.until("attached");
    client.send({ type: "message", text: "hi", ref: "m" });
    await client.until("ok");
  }
  expect(session.handled.map(({ by }) => by)).toEqual(["web", "web-2"]);
  const third = await connect(path);
  third.send({ type: "message", text: "hi", ref: "m" });
  await third.until("ok");
  expect(session.handled.at(-1)?.by).toBe("client-3");
  first.socket.destroy();
  await vi.waitFor(async () => {
    const fourth = await connect(path);
    fourth.send({ type: "attach", since: 0, client: "web" });
    expect(await fourth.until("attached")).toMatchObject({ client: "web" });
  }, 10_000);
});

test("[SES-14] history pages back, and a page is cut to what fits into a line", async () => {
  const session = loggedSession();
  for (let n = 0; n < 100; n += 1) session.say(`${n} ${"x".repeat(200_000)}`);
  await session.log.durable();
  const { path } = await serve(session);
  const client = await connect(path);
  let before: number | undefined;
  const seen: number[] = [];
  for (let more = true; more;) {
    const since = client.told.length;
    client.send({ type: "history", limit: 1000, ...(before !== undefined && { before }) });
    const page = await client.until("history", { since });
    const seqs = (page["events"] as { seq: number }[]).map(({ seq }) => seq);
    expect(seqs.length).toBeGreaterThan(0);
    seen.unshift(...seqs);
    before = seqs[0];
    more = page["more"] === true;
  }
  expect(seen).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
});

test("[SES-15] get_blob brings a stored payload in parts that fit into a line", async () => {
  const session = loggedSession();
  const text = "ü".repeat(4_000_000);
  const event = session.log.append({ type: "user_message", id: "m", text });
  const { blob, bytes } = (event as unknown as { text: { blob: string; bytes: number } }).text;
  await session.log.durable();
  const { path } = await serve(session);
  const client = await connect(path);
  const parts: Buffer[] = [];
  for (let offset = 0; offset < bytes; offset = Buffer.concat(parts).length) {
    const since = client.told.length;
    client.send({ type: "get_blob", blob, offset });
    const part = await client.until("blob", { since });
    expect(part).toMatchObject({ blob, bytes, offset });
    parts.push(Buffer.from(String(part["data"]), "base64"));
  }
  expect(parts.length).toBe(2);
  expect(Buffer.concat(parts).toString()).toBe(text);
});

test("[SES-20] a client that has ended its side gets events until it is gone", async () => {
  const session = loggedSession();
  const { path } = await serve(session);
  const client = await connect(path);
  client.send({ type: "message", text: "hi", ref: "m" });
  client.halfClose();
  await client.until("ok");
  session.say("still there");
  expect(await client.until("text_delta")).toMatchObject({ text: "still there" });
});

test("[SES-6] an observer sees everything and can change nothing", async () => {
  const session = loggedSession();
  const observePath = join(tempDir(), "observe.sock");
  const { observePath: path } = await serve(session, { observePath });
  const client = await connect(path ?? "");
  expect(client.told[0]).toMatchObject({ type: "init", read_only: true });
  session.say("one");
  client.send({ type: "attach", since: 0 }, { type: "status" }, { type: "history" });
  client.send({ type: "ping" });
  await client.until("pong");
  await client.until("history");
  await client.until("status");
  const forbidden = ["message", "approve", "deny", "answer", "abort", "set_mode", "set_model"];
  const commands = [
    { type: "message", text: "hi" },
    { type: "approve", request_id: "q" },
    { type: "deny", request_id: "q" },
    { type: "answer", request_id: "q", answers: {} },
    { type: "abort" },
    { type: "set_mode", mode: "plan" },
    { type: "set_model", model: "m" },
    { type: "set_thinking", effort: null },
    { type: "shutdown" },
  ];
  expect(commands.map(({ type }) => type)).toEqual(expect.arrayContaining(forbidden));
  for (const command of commands) {
    const since = client.told.length;
    client.send({ ...command, ref: "x" });
    expect(await client.until("error", { since })).toMatchObject({ code: "read_only", ref: "x" });
  }
  expect(session.handled).toEqual([]);
});

test("[SES-21] the session ends when no controlling client was there for the linger time", async () => {
  const session = loggedSession();
  const ends: string[] = [];
  const observePath = join(tempDir(), "observe.sock");
  const onEnd = (reason: string): void => void ends.push(reason);
  const { path } = await serve(session, { lingerMs: 2500, observePath, onEnd });
  const client = await connect(path);
  const observer = await connect(observePath);
  expect(ends).toEqual([]);
  client.socket.destroy();
  await vi.waitFor(() => expect(ends).toEqual(["linger"]), { timeout: 10_000 });
  expect(observer.socket.destroyed).toBe(false);
});

test("[SES-22] shutdown requests the end, once", async () => {
  const session = loggedSession();
  const ends: string[] = [];
  const { path } = await serve(session, { onEnd: (reason) => void ends.push(reason) });
  const client = await connect(path);
  client.send({ type: "shutdown", ref: "a" }, { type: "shutdown", ref: "b" });
  await client.until("ok", { fits: ({ ref }) => ref === "b" });
  expect(ends).toEqual(["shutdown"]);
});

test("[SES-23] clients get `closing` before the connection closes", async () => {
  const session = loggedSession();
  const server = await serve(session);
  const client = await connect(server.path);
  session.log.append({ type: "closing", reason: "shutdown" });
  await session.log.durable();
  await server.close();
  await client.ended;
  expect(client.told.at(-1)).toMatchObject({ type: "closing", reason: "shutdown" });
});

test("[SES-35] a message that is sent again is answered with its outcome, also after the log was reopened", async () => {
  const directory = tempDir();
  const before = loggedSession({ directory });
  for (const id of ["ended", "dropped", "open", "note"]) {
    const quiet = id === "note" && { quiet: true };
    before.log.append({ type: "user_message", id, text: "x", ...quiet });
  }
  before.log.append({ type: "message_seen", id: "open" });
  before.log.append({ type: "message_seen", id: "note" });
  before.log.append({ type: "message_dropped", id: "dropped", reason: "aborted" });
  before.log.append({
    type: "done",
    turn_id: "t1",
    messages: ["ended"],
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: 0,
    duration_ms: 1,
    stop_reason: "completed",
  });
  await before.log.close();
  const { path } = await serve(loggedSession({ directory }));
  const client = await connect(path);
  const overOf = async (id: string): Promise<unknown> => {
    client.send({ type: "message", text: "x", id, ref: id });
    return (await client.until("ok", { fits: ({ ref }) => ref === id }))["over"];
  };
  expect(await overOf("ended")).toBe("seen");
  expect(await overOf("note")).toBe("seen");
  expect(await overOf("dropped")).toBe("dropped");
  expect(await overOf("open")).toBeUndefined();
  expect(await overOf("new")).toBeUndefined();
});

test("[SES-57] a client that calls itself policy is refused, and keeps the name that it had", async () => {
  const { path } = await serve(loggedSession());
  const client = await connect(path);
  client.send({ type: "attach", since: 0, client: "policy 1: allow Write", ref: "a" });
  expect(await client.until("error")).toMatchObject({ ref: "a", code: "invalid_params" });
  client.send({ type: "attach", since: 0, ref: "b" });
  expect(await client.until("attached")).toMatchObject({ client: "client-1" });
});
