import { once } from "node:events";
import { linkSync, renameSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { FakeSession } from "../../test/support/fake-session.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import type { ConnectOptions } from "./connect-session.ts";
import { connectSession } from "./connect-session.ts";

// How the end that a client asks for is told from a connection that is lost.

const soon = { tries: 1000, firstDelayMs: 5, maxDelayMs: 20, factor: 2 };

async function connectTo(session: FakeSession, options: ConnectOptions = {}) {
  const client = await connectSession(session.path, { policy: soon, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** As if its process were killed: it tells nothing more, and its socket stays without an answer. */
function kill(session: FakeSession): void {
  linkSync(session.path, `${session.path}.dead`);
  void session.stop();
  renameSync(`${session.path}.dead`, session.path);
}

const shutdowns = (session: FakeSession) => session.told.filter(({ type }) => type === "shutdown");

test("commands sent while disconnected stay behind those that the lost connection took", async () => {
  const session = await new FakeSession().start();
  let second: Promise<unknown> | undefined;
  const client = await connectTo(session, {
    onConnection: ({ state }) => {
      if (state === "lost") second ??= client.send("second", { id: "2" });
    },
  });
  session.onCommand = (_, host) => {
    session.onCommand = (command, next) => next.answer(command, "ok");
    // Something that the next connection has to be told before it is known what became of the message.
    session.happen({ type: "status", state: "idle" });
    host.drop();
  };
  await client.send("first", { id: "1" });
  await second;
  const sent = session.told.flatMap((command) => (command.type === "message" ? command.id : []));
  expect(sent).toEqual(["1", "1", "2"]);
});

test("connecting to a host that never answers fails after `answerMs` or on abort", async () => {
  const path = join(tempDir(), "s");
  const silent = createServer().listen(path);
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  await expect(connectSession(path, { answerMs: 50 })).rejects.toMatchObject({ code: "timeout" });
  const signal = AbortSignal.timeout(50);
  await expect(connectSession(path, { signal })).rejects.toMatchObject({ name: "TimeoutError" });
  const connections = promisify(silent.getConnections.bind(silent));
  await expect.poll(() => connections()).toBe(0);
});

test("shutdown is repeated when the session was killed before it received it", async () => {
  const killed = await new FakeSession().start();
  const failures: string[] = [];
  const client = await connectTo(killed, {
    onConnection: (change) => change.state === "lost" && failures.push(change.error.code),
  });
  killed.onCommand = () => kill(killed);
  let isDone = false;
  const asked = client.shutdown().then(() => (isDone = true));
  await expect.poll(() => failures).toContain("connection_failed");
  expect(isDone).toBe(false);

  const next = new FakeSession(killed.path);
  next.onCommand = () => {
    next.happen({ type: "closing", reason: "shutdown" });
    for (const each of next.clients) each.drop();
  };
  await next.start();
  await asked;
  expect([killed, next].map((each) => shutdowns(each).length)).toEqual([1, 1]);
  expect(await client.closed).toBeUndefined();
});

test("shutdown resolves when the session's socket is gone", async () => {
  const session = await new FakeSession().start();
  const client = await connectTo(session);
  session.onCommand = () => void session.stop();
  await client.shutdown();
  expect(await client.closed).toBeUndefined();
});

test("shutdown does not end a session that was started again meanwhile", async () => {
  const session = await new FakeSession().start();
  const client = await connectTo(session);
  session.onCommand = (_, host) => {
    session.onCommand = (command, next) => next.answer(command, "pong");
    host.drop();
    session.happen({ type: "closing", reason: "shutdown" });
  };
  await client.shutdown();
  await client.ping();
  expect(shutdowns(session)).toHaveLength(1);
});

test("shutdown ignores a `closing` that is older than the connection", async () => {
  const session = await new FakeSession().start();
  // More than may wait for a reader, so that the end is still to be told when the shutdown is sent.
  for (let n = 0; n < 10_000; n += 1) session.happen({ type: "text_delta", block: 0, text: "x" });
  session.happen({ type: "closing", reason: "shutdown" });
  const client = await connectTo(session);
  session.onCommand = () => {};
  let isDone = false;
  const asked = client.shutdown().then(() => (isDone = true));
  for await (const item of client.events()) if (item.type === "closing") break;
  await session.until("shutdown");
  expect(isDone).toBe(false);
  session.happen({ type: "closing", reason: "shutdown" });
  await asked;
});
