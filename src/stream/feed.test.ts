import { expect, test, vi } from "vitest";
import { loggedSession } from "../../test/support/logged-session.ts";
import { Feed } from "./feed.ts";

/** Takes `room` batches, then none until it is drained. */
class Target {
  readonly sent: string[] = [];
  room = Number.POSITIVE_INFINITY;
  #drained = Promise.withResolvers<void>();

  trySend(bytes: Uint8Array): boolean {
    if (this.room === 0) return false;
    this.room -= 1;
    this.sent.push(new TextDecoder().decode(bytes));
    return true;
  }

  async drained(): Promise<void> {
    if (this.room === 0) await this.#drained.promise;
  }

  drain(): void {
    this.room = Number.POSITIVE_INFINITY;
    this.#drained.resolve();
  }

  get seqs(): number[] {
    const lines = this.sent.join("").trim().split("\n").filter(Boolean);
    return lines.map((line) => (JSON.parse(line) as { seq: number }).seq);
  }
}

function stage() {
  const session = loggedSession();
  const target = new Target();
  const onFailure = vi.fn<(error: unknown) => void>();
  const options = { log: session.log, target, position: 0, onReset: () => {}, onFailure };
  const feed = new Feed(options);
  session.log.subscribe((batch) => feed.take(batch));
  return { session, target, feed, onFailure };
}

test("Feed leaves a client whose queue is full alone until it has read everything", async () => {
  const { session, target } = stage();
  target.room = 2;
  for (let n = 0; n < 20; n += 1) {
    session.say("x");
    await session.log.durable();
  }
  expect(target.seqs).toEqual([1, 2]);
  target.drain();
  await vi.waitFor(() => expect(target.seqs).toHaveLength(20), 10_000);
  session.say("live again");
  await session.log.durable();
  expect(target.seqs).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
});

test("Feed sends the log's own memory while the client keeps up", async () => {
  const { session, feed } = stage();
  const taken: Uint8Array[] = [];
  const told: Uint8Array[] = [];
  session.log.subscribe(({ bytes }) => told.push(bytes));
  feed.stop();
  const target = { trySend: (bytes: Uint8Array) => taken.push(bytes) > 0, drained: async () => {} };
  const shared = new Feed({
    log: session.log,
    target,
    position: 0,
    onReset: () => {},
    onFailure: () => {},
  });
  session.log.subscribe((batch) => shared.take(batch));
  session.say("x");
  await session.log.durable();
  expect(taken[0]).toBe(told[0]);
});

test("Feed.restart sends nothing for the earlier position", async () => {
  const { session, target, feed } = stage();
  target.room = 1;
  for (let n = 0; n < 10; n += 1) {
    session.say("x");
    await session.log.durable();
  }
  feed.restart(8);
  target.drain();
  await vi.waitFor(() => expect(target.seqs).toEqual([1, 9, 10]), 10_000);
});

test("Feed sends a batch that begins before its position from there", async () => {
  const session = loggedSession();
  const target = new Target();
  const options = { log: session.log, target, onReset: () => {}, onFailure: () => {} };
  for (const word of ["one", "two"]) session.say(word);
  // As for a client that connects now: the two are appended, and not told yet.
  const feed = new Feed({ ...options, position: session.log.lastSeq });
  session.log.subscribe((batch) => feed.take(batch));
  session.say("three");
  await session.log.durable();
  expect(target.seqs).toEqual([3]);
});

test("a replay that is overtaken does not move Feed's new position", async () => {
  const { session, feed: first } = stage();
  first.stop();
  for (let n = 0; n < 10; n += 1) session.say("x");
  await session.log.durable();
  const sent: Uint8Array[] = [];
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  let open = false;
  const target = {
    trySend(bytes: Uint8Array): boolean {
      if (open) sent.push(bytes);
      reached.resolve();
      return open;
    },
    // Empty at first, then full from the first try to send until the gate opens.
    drained: async () => (sent.length === 0 && waits++ === 0 ? undefined : gate.promise),
  };
  let waits = 0;
  const options = { log: session.log, target, onReset: () => {}, onFailure: () => {} };
  const feed = new Feed({ ...options, position: 0 });
  feed.restart(0);
  await reached.promise;
  feed.restart(8);
  open = true;
  gate.resolve();
  await feed.caughtUp();
  const lines = Buffer.concat(sent).toString().trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([9, 10]);
});

test("Feed.stop ends all sending", async () => {
  const { session, target, feed } = stage();
  feed.stop();
  session.say("x");
  await session.log.durable();
  expect(target.sent).toEqual([]);
});

test("Feed reports a log that cannot be read", async () => {
  const { session, target, feed, onFailure } = stage();
  session.say("x");
  await session.log.durable();
  target.room = 0;
  session.say("y");
  await session.log.durable();
  const broken = new Error("the disk is gone");
  vi.spyOn(session.log, "readAfter").mockImplementation(() => {
    throw broken;
  });
  target.drain();
  await feed.caughtUp();
  expect(onFailure).toHaveBeenCalledWith(broken);
});
