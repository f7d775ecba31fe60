import { expect, onTestFinished, test, vi } from "vitest";
import { loggedSession } from "../../../test/support/logged-session.ts";
import { SessionLineClient } from "../../../test/support/session-line-client.ts";
import { createLogger } from "../../log/logger.ts";
import { serveSession } from "./serve-session.ts";

const logger = createLogger({ name: "test" });

async function stage(options: Parameters<typeof loggedSession>[0] = {}) {
  const session = loggedSession(options);
  const about = { version: "1.2.3", rehearsal: false };
  const server = await serveSession(session, { about, logger, onEnd: () => {} });
  onTestFinished(() => server.close());
  return { session, path: server.path };
}

/** Not all at once: the log shall have told them in many batches. */
async function talk(session: ReturnType<typeof loggedSession>, events: number, bytes: number) {
  for (let n = 0; n < events; n += 1) {
    session.say("x".repeat(bytes));
    if (n % 10 === 9) await session.log.durable();
  }
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);

test("[SES-24] a client that reads nothing costs only its queue, and gets everything when it reads", async () => {
  const { session, path } = await stage();
  const stuck = new SessionLineClient(path, { reading: false });
  const reader = new SessionLineClient(path);
  await reader.until("init");
  stuck.send({ type: "attach", since: 0, client: "stuck" });
  reader.send({ type: "attach", since: 0, client: "reader" });
  await reader.until("attached");
  await talk(session, 600, 100_000);
  const { lastSeq } = session.log;
  await vi.waitFor(() => expect(reader.seqs).toEqual(upTo(lastSeq)), { timeout: 20_000 });
  stuck.read();
  await vi.waitFor(() => expect(stuck.seqs).toEqual(upTo(lastSeq)), { timeout: 20_000 });
  // And then it is as live as any.
  const last = session.say("now");
  await vi.waitFor(() => expect(stuck.seqs).toEqual(upTo(last)), { timeout: 10_000 });
});

test("[SES-25] a client that falls behind the log's segment starts over from the snapshot", async () => {
  const { session, path } = await stage({ maxSegmentBytes: 300_000 });
  const stuck = new SessionLineClient(path, { reading: false });
  stuck.send({ type: "attach", since: 0, client: "stuck" }, { type: "abort" });
  await vi.waitFor(() => expect(session.handled).toHaveLength(1), { timeout: 10_000 });
  await talk(session, 200, 100_000);
  expect(session.log.firstSeq).toBeGreaterThan(100);
  const last = session.say("last");
  stuck.read();
  await stuck.until("text_delta", { fits: ({ seq }) => seq === last });
  const [first, ...later] = stuck.told.filter(({ type }) => type === "attached");
  expect(first).toMatchObject({ reset: false, since: 0 });
  expect(later.length).toBeGreaterThan(0);
  expect(later.every(({ reset }) => reset === true)).toBe(true);
  const start = Number(later.at(-1)?.["since"]);
  expect(stuck.seqs).toEqual(Array.from({ length: last - start }, (_, n) => start + 1 + n));
});

test("[SES-50] a client that keeps up gets the snapshot of a new file, without a gap", async () => {
  const { session, path } = await stage({ maxSegmentBytes: 20_000 });
  const client = new SessionLineClient(path);
  await client.until("init");
  client.send({ type: "attach", since: 0 });
  await client.until("attached");
  while (session.log.firstSeq === 1) await talk(session, 10, 500);
  const last = session.say("last");
  await client.until("text_delta", { fits: ({ seq }) => seq === last });
  expect(client.seqs).toEqual(upTo(last));
  expect(client.told.filter(({ type }) => type === "attached")).toHaveLength(1);
  const begin = client.told.find(({ type }) => type === "snapshot_begin");
  expect(begin?.seq).toBe(session.log.firstSeq);
});

test("a client that is gone for good is noticed while the session is idle", async () => {
  const { session, path } = await stage();
  const client = new SessionLineClient(path);
  await client.until("init");
  const waiter = new SessionLineClient(path);
  client.send({ type: "attach", since: 0, client: "one" });
  await client.until("attached");
  client.socket.destroy();
  await vi.waitFor(async () => {
    waiter.send({ type: "attach", since: 0, client: "one", ref: "again" });
    const since = waiter.told.length;
    expect(await waiter.until("attached", { since })).toMatchObject({ client: "one" });
  }, 10_000);
  expect(session.log.lastSeq).toBe(0);
});

test("[SES-24] fifty clients and a stuck one all get everything, from one memory", async () => {
  const { session, path } = await stage();
  const stuck = new SessionLineClient(path, { reading: false });
  const clients = Array.from({ length: 50 }, () => new SessionLineClient(path));
  for (const client of clients) client.send({ type: "attach", since: 0 });
  stuck.send({ type: "attach", since: 0 });
  await Promise.all(clients.map((client) => client.until("attached")));
  await talk(session, 300, 200);
  const last = session.say("end");
  const isLast = { fits: ({ seq }: { seq?: number }) => seq === last };
  await Promise.all(clients.map((client) => client.until("text_delta", isLast)));
  for (const client of clients) expect(client.seqs).toEqual(upTo(last));
  stuck.read();
  await stuck.until("text_delta", isLast);
  expect(stuck.seqs).toEqual(upTo(last));
});

test("[SES-24] payloads and pages are fetched one at a time, as the client reads", async () => {
  const { session, path } = await stage();
  const text = "z".repeat(4_000_000);
  const event = session.log.append({ type: "user_message", id: "m", text });
  const { blob } = (event as unknown as { text: { blob: string } }).text;
  await talk(session, 30, 100_000);
  const blobs = vi.spyOn(session.log, "readBlob");
  const pages = vi.spyOn(session.log, "history");
  const stuck = new SessionLineClient(path, { reading: false });
  const questions = Array.from({ length: 10 }, (_, n) => [
    { type: "get_blob", blob, ref: `b${n}` },
    { type: "history", ref: `h${n}` },
  ]).flat();
  stuck.send(...questions, { type: "abort" });
  await vi.waitFor(() => expect(session.handled).toHaveLength(1), { timeout: 20_000 });
  expect(blobs.mock.calls.length + pages.mock.calls.length).toBeLessThanOrEqual(1);
  stuck.read();
  for (const { ref } of questions) {
    const type = ref.startsWith("b") ? "blob" : "history";
    await stuck.until(type, { fits: (line) => line["ref"] === ref });
  }
});
