import { expect, onTestFinished, test } from "vitest";
import { FakeSession } from "../../test/support/fake-session.ts";
import { ClaudeCodeError } from "../wire/errors.ts";
import type { SessionEventOf } from "../wire/session/events.ts";
import type { ConnectOptions } from "./connect-session.ts";
import { connectSession } from "./connect-session.ts";
import type { SessionClient } from "./session-client.ts";
import type { SessionItem } from "./session-item.ts";

const soon = { tries: 1000, firstDelayMs: 5, maxDelayMs: 20, factor: 2 };

async function connectTo(session: FakeSession, options: ConnectOptions = {}) {
  const client = await connectSession(session.path, { policy: soon, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Reads until as many items have come. */
async function take(client: SessionClient, count: number): Promise<SessionItem[]> {
  const items: SessionItem[] = [];
  if (count === 0) return items;
  for await (const item of client.events()) {
    items.push(item);
    if (items.length === count) break;
  }
  return items;
}

const words = (items: SessionItem[]): string[] =>
  items.map((item) => (item.type === "text_delta" ? item.text : item.type));

const text = (value: string) => ({ type: "text_delta", block: 0, text: value }) as const;

test("events() returns events once and in order, from the beginning and live", async () => {
  const session = await new FakeSession().start();
  for (const value of ["a", "b", "c"]) session.happen(text(value));
  const client = await connectTo(session, { name: "me" });
  session.happen(text("d"));
  expect(words(await take(client, 4))).toEqual(["a", "b", "c", "d"]);
  expect(client.init.session_id).toBe("s");
  expect(client.place).toEqual({ since: 4, logId: "log-1", epoch: 1 });
  expect(session.told[0]).toMatchObject({ type: "attach", since: 0, client: "me" });
});

test("a client that passes `since` gets only later events", async () => {
  const session = await new FakeSession().start();
  for (const value of ["a", "b", "c"]) session.happen(text(value));
  const old = await connectTo(session, { since: 2, logId: "log-1", epoch: 1 });
  expect(words(await take(old, 1))).toEqual(["c"]);
  const late = await connectTo(session, { since: "latest" });
  session.happen(text("d"));
  expect(words(await take(late, 1))).toEqual(["d"]);
});

test("a client that wants the newest events gets so many, or all when there are no more", async () => {
  const session = await new FakeSession().start();
  for (const value of ["a", "b", "c"]) session.happen(text(value));
  const last = await connectTo(session, { since: { newest: 2 } });
  expect(last.place).toEqual({ since: 1, logId: "log-1", epoch: 1 });
  expect(words(await take(last, 2))).toEqual(["b", "c"]);
  const all = await connectTo(session, { since: { newest: 99 } });
  expect(words(await take(all, 3))).toEqual(["a", "b", "c"]);
});

/** Tells once more what there was, as the log does when it begins a new file. */
function rotate(session: FakeSession, upto: number, ...again: string[]): void {
  session.happen({ type: "snapshot_begin", upto });
  for (const value of again) session.happen(text(value));
  session.happen({ type: "snapshot_end", upto });
}

test("[SES-50] a snapshot with nothing new is skipped except its ends, and nothing resumes from it", async () => {
  const session = await new FakeSession().start();
  session.happen(text("a"));
  const client = await connectTo(session);
  const late = await connectTo(session, { since: "latest" });
  session.happen({ type: "snapshot_begin", upto: 1 });
  session.happen(text("a"));
  expect(words(await take(client, 2))).toEqual(["a", "snapshot_begin"]);
  await expect.poll(() => late.place.since).toBe(1);
  expect(client.place.since).toBe(1);
  for (const each of session.clients) each.drop();
  session.happen(text("a"));
  session.happen({ type: "snapshot_end", upto: 1 });
  session.happen(text("b"));
  expect(words(await take(client, 2))).toEqual(["snapshot_end", "b"]);
  expect(words(await take(late, 3))).toEqual(["snapshot_begin", "snapshot_end", "b"]);
  expect(client.place.since).toBe(session.lastSeq);
});

test("[SES-12] a new or reset client gets the whole snapshot", async () => {
  const session = await new FakeSession().start();
  session.forgotten = 100;
  rotate(session, 100, "a");
  rotate(session, 101, "a");
  const whole = ["snapshot_begin", "a", "snapshot_end"];
  const edges = ["snapshot_begin", "snapshot_end"];
  const client = await connectTo(session);
  expect(words(await take(client, 5))).toEqual([...whole, ...edges]);
  for (const each of session.clients) each.drop();
  session.forgotten = session.lastSeq;
  session.logId = "log-2";
  session.log.length = 0;
  rotate(session, 1, "c");
  expect(words(await take(client, 4))).toEqual(["reset", ...whole.with(1, "c")]);
});

test("SessionClient.place is the position of the last event that was read, not of those that wait", async () => {
  const session = await new FakeSession().start();
  for (const value of ["a", "b", "c"]) session.happen(text(value));
  const client = await connectTo(session);
  await client.setMode("plan");
  expect(client.place.since).toBe(0);
  expect(words(await take(client, 1))).toEqual(["a"]);
  expect(client.place).toEqual({ since: 1, logId: "log-1", epoch: 1 });
  session.epoch = 2;
  for (const each of session.clients) each.drop();
  await client.setMode("plan");
  expect(client.place).toEqual({ since: 1, logId: "log-1", epoch: 1 });
  expect(words(await take(client, 2))).toEqual(["b", "c"]);
  session.happen(text("d"));
  expect(words(await take(client, 1))).toEqual(["d"]);
  expect(client.place).toEqual({ since: 4, logId: "log-1", epoch: 2 });
});

test("after a lost connection the client continues where it was", async () => {
  const session = await new FakeSession().start();
  const states: string[] = [];
  const client = await connectTo(session, { onConnection: ({ state }) => states.push(state) });
  session.happen(text("a"));
  expect(words(await take(client, 1))).toEqual(["a"]);
  for (const value of ["b", "c", "d"]) {
    for (const each of session.clients) each.drop();
    session.happen(text(value));
    expect(words(await take(client, 1))).toEqual([value]);
  }
  expect(states.filter((state) => state === "connected")).toHaveLength(4);
  expect(session.told.at(-1)).toMatchObject({
    type: "attach",
    since: 3,
    log_id: "log-1",
    epoch: 1,
  });
});

test("an event that is repeated or has a wrong number never reaches the reader", async () => {
  const session = await new FakeSession().start();
  const problems: string[] = [];
  const client = await connectTo(session, { onProblem: ({ code }) => problems.push(code) });
  const event = session.happen(text("a"));
  const [host] = session.clients;
  host?.say(event);
  host?.say({ type: "text_delta", seq: "2" });
  // A gap: the client asks again, and gets what the log has.
  host?.say({ ...event, seq: 9, text: "from nowhere" });
  session.happen(text("b"));
  expect(words(await take(client, 2))).toEqual(["a", "b"]);
  expect(problems).toEqual(["invalid_params"]);
});

test("an event type of a later version is skipped, and its number counts", async () => {
  const session = await new FakeSession().start();
  const client = await connectTo(session);
  session.happen({ type: "sang" } as never);
  session.happen(text("b"));
  expect(words(await take(client, 1))).toEqual(["b"]);
  expect(client.place.since).toBe(2);
});

test("another log, or one that begins later, is reported as a reset", async () => {
  const session = await new FakeSession().start();
  session.forgotten = 10;
  session.happen(text("a"));
  const fresh = await connectTo(session);
  expect(words(await take(fresh, 1))).toEqual(["a"]);
  const old = await connectTo(session, { since: 4, logId: "log-1" });
  expect(await take(old, 2)).toMatchObject([
    { type: "reset", logId: "log-1", epoch: 1 },
    { seq: 11 },
  ]);
  const stranger = await connectTo(session, { since: 11, logId: "log-0" });
  expect(words(await take(stranger, 2))).toEqual(["reset", "a"]);
});

test("send repeats a message under one id until it is known to be accepted", async () => {
  const session = await new FakeSession().start();
  const client = await connectTo(session);
  let tries = 0;
  session.onCommand = (command, host) => {
    tries += 1;
    // Lost before it was accepted, then accepted but not told.
    if (tries === 2)
      session.happen({ type: "user_message", id: (command as { id: string }).id, text: "hi" });
    if (tries < 3) host.drop();
    else host.answer(command, "ok");
  };
  const { id } = await client.send("hi", { priority: "now" });
  const sent = session.told.filter(({ type }) => type === "message");
  // The second time its acceptance was in the replay, so there was no third.
  expect(sent).toHaveLength(2);
  for (const each of sent) expect(each).toMatchObject({ id, text: "hi", priority: "now" });
});

test("a command is sent again also when the newest event is of an unknown type", async () => {
  const session = await new FakeSession().start();
  const client = await connectTo(session);
  session.onCommand = (command, host) => {
    session.onCommand = (again, next) => next.answer(again, "ok");
    expect(command.type).toBe("message");
    host.drop();
    session.happen({ type: "sang" } as never);
  };
  const sent = client.send("hi");
  await expect.poll(() => session.told.filter(({ type }) => type === "message")).toHaveLength(2);
  await sent;
});

test("a command is sent once per connection, also while old events still arrive", async () => {
  const session = await new FakeSession().start();
  for (let n = 0; n < 50; n += 1) session.happen(text("x"));
  const client = await connectTo(session);
  const sent = client.send("one");
  await Promise.all([sent, client.ping().catch(() => {})]);
  expect(session.told.filter(({ type }) => type === "message")).toHaveLength(1);
});

test("a refused command rejects with the session's error", async () => {
  const session = await new FakeSession().start();
  const client = await connectTo(session);
  session.onCommand = (command, host) =>
    host.answer(command, "error", {
      code: "unknown_request",
      message: "no such",
      retryable: false,
      hint: "look",
    });
  const error = await client.approve("x").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ClaudeCodeError);
  expect(error).toMatchObject({ code: "unknown_request", message: "no such", hint: "look" });
});

test("approve rejects with `already_resolved` when another client was first", async () => {
  const session = await new FakeSession().start();
  const client = await connectTo(session, { name: "me" });
  const resolve = (request_id: string, by: string, outcome: "allowed" | "denied") =>
    session.happen({ type: "approval_resolved", request_id, by, outcome });
  session.onCommand = (command) => {
    if (command.type === "approve") resolve(command.request_id, "other", "denied");
    if (command.type === "deny") resolve(command.request_id, "me", "denied");
  };
  await expect(client.approve("a")).rejects.toMatchObject({
    code: "already_resolved",
    data: { outcome: "denied", by: "other" },
  });
  await client.deny("b", { reason: "no", interrupt: true });
  expect(session.told.at(-1)).toMatchObject({ type: "deny", reason: "no", interrupt: true });
});

test("abort is repeated for its own turn and no other", async () => {
  const session = await new FakeSession().start();
  const client = await connectTo(session);
  const start = (turn_id: string) =>
    session.happen({ type: "turn_started", turn_id, messages: [], cause: "message" });
  const end = (turn_id: string) => {
    const usage = { input_tokens: 0, output_tokens: 0 };
    session.happen({
      type: "done",
      turn_id,
      messages: [],
      usage,
      cost_usd: 0,
      duration_ms: 0,
      stop_reason: "aborted",
    });
  };
  start("1");
  await take(client, 1);
  session.onCommand = (_, host) => {
    host.drop();
    end("1");
    start("2");
  };
  await client.abort({ queue: "drop" });
  end("2");
  await take(client, 3);
  // There was nothing to abort: what begins while the connection is lost is not meant.
  session.onCommand = (_, host) => {
    host.drop();
    start("3");
  };
  await client.abort();
  expect(session.told.filter(({ type }) => type === "abort")).toHaveLength(2);
});

test("answers are matched by ref, in any order", async () => {
  const session = await new FakeSession().start();
  const client = await connectTo(session);
  const held: (() => void)[] = [];
  session.onCommand = (command, host) => {
    if (command.type === "history") {
      const event = {
        type: "user_message",
        id: "m",
        text: String(command.limit),
        seq: 1,
        at: "2026-01-01T00:00:00Z",
      };
      held.unshift(() => host.answer(command, "history", { events: [event], more: false }));
    }
    if (command.type === "get_blob") {
      const part = Buffer.from("hello world").subarray(command.offset, command.offset + 4);
      host.answer(command, "blob", {
        blob: "b",
        bytes: 11,
        offset: command.offset,
        data: part.toString("base64"),
      });
    }
    if (held.length === 2) for (const answer of held) answer();
  };
  const pages = await Promise.all([
    client.history({ limit: 3 }),
    client.history({ before: 9, limit: 4 }),
  ]);
  expect(pages.map(({ events }) => (events[0] as SessionEventOf<"user_message">).text)).toEqual([
    "3",
    "4",
  ]);
  expect(new TextDecoder().decode(await client.blob("b"))).toBe("hello world");
});

test("answers arrive also while no reader takes events", async () => {
  const session = await new FakeSession().start();
  for (let n = 0; n < 12_000; n += 1) session.happen(text("x"));
  const client = await connectTo(session);
  await client.setMode("plan");
  expect(await take(client, 12_000)).toHaveLength(12_000);
});

test("a session that ends on purpose ends the events; one that vanishes does not", async () => {
  const session = await new FakeSession().start();
  const client = await connectTo(session);
  session.onCommand = () => {
    session.happen({ type: "closing", reason: "shutdown" });
    for (const each of session.clients) each.drop();
  };
  await client.shutdown();
  const items: SessionItem[] = [];
  for await (const item of client.events()) items.push(item);
  expect(words(items)).toEqual(["closing"]);
  expect(await client.closed).toBeUndefined();
  await expect(client.ping()).rejects.toMatchObject({ code: "connection_lost" });
});

test("a `closing` that is older than the connection does not end the events", async () => {
  const session = await new FakeSession().start();
  session.happen({ type: "closing", reason: "shutdown" });
  session.happen(text("on we go"));
  const client = await connectTo(session);
  expect(words(await take(client, 2))).toEqual(["closing", "on we go"]);
  await client.setMode("plan");
});

test("close rejects open commands, and the session goes on", async () => {
  const session = await new FakeSession().start();
  const client = await connectTo(session);
  session.onCommand = () => {};
  const unanswered = client.status();
  await Promise.all([
    client.close(),
    expect(unanswered).rejects.toMatchObject({ code: "connection_lost" }),
  ]);
  expect(await take(client, 1)).toEqual([]);
  await client.close();
});

test("connectSession rejects when there is no host, when the host speaks another protocol, and after the last try", async () => {
  const session = await new FakeSession().start();
  const once = { ...soon, tries: 1 };
  await expect(connectSession(`${session.path}x`, { firstPolicy: once })).rejects.toMatchObject({
    code: "connection_failed",
  });
  const signal = AbortSignal.timeout(20);
  const forEver = { ...soon, tries: 1_000_000 };
  await expect(
    connectSession(`${session.path}x`, { firstPolicy: forEver, signal }),
  ).rejects.toMatchObject({ name: "TimeoutError" });
  session.protocol = 2;
  await expect(connectTo(session)).rejects.toMatchObject({
    message: "The session uses version 2 of the protocol, this client uses version 1.",
  });
  session.protocol = 1;
  const client = await connectTo(session, { policy: { ...soon, tries: 2 } });
  await session.stop();
  await expect(take(client, 1)).rejects.toMatchObject({ code: "connection_failed" });
  expect(await client.closed).toMatchObject({ code: "connection_failed" });
});
