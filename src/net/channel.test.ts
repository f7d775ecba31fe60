import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { encodeLine } from "../wire/lines.ts";
import type { Parsed } from "../wire/json-payload.ts";
import type { Channel } from "./channel.ts";
import { channel } from "./channel.ts";
import { jsonFrames, jsonLines } from "./codec.ts";
import { dial } from "./connect-with-retries.ts";
import { listen } from "./listen.ts";

/** Two ends of one connection. */
async function socketPair(): Promise<[Socket, Socket]> {
  const accepted = Promise.withResolvers<Socket>();
  const listener = await listen({ onConnection: accepted.resolve });
  const near = await dial(listener.path);
  onTestFinished(async () => {
    near.destroy();
    await listener.close();
  });
  return [near, await accepted.promise];
}

type JsonChannel = Channel<unknown, Parsed>;

async function channelPair(maxQueuedBytes?: number): Promise<[JsonChannel, JsonChannel]> {
  const [near, far] = await socketPair();
  const options = maxQueuedBytes === undefined ? {} : { maxQueuedBytes };
  return [channel(near, jsonLines, options), channel(far, jsonLines, options)];
}

const collect = (messages: AsyncIterable<Parsed>): Promise<unknown[]> => take(messages, Infinity);

async function take(messages: AsyncIterable<Parsed>, count: number): Promise<unknown[]> {
  const received: unknown[] = [];
  for await (const message of messages) {
    received.push(message.ok ? message.value : message.error.code);
    if (received.length === count) break;
  }
  return received;
}

const errorFrom = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => "no error",
    (error: unknown) => error,
  );

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** More than a socket's buffers hold on both sides. */
const MUCH = "x".repeat(4_000_000);

test.each([
  ["lines", jsonLines],
  ["frames", jsonFrames],
])("%s go both ways, in order", async (_name, codec) => {
  const [nearSocket, farSocket] = await socketPair();
  const [near, far] = [channel(nearSocket, codec), channel(farSocket, codec)];
  const sending = Promise.all(numbers(1000).flatMap((n) => [near.send({ n }), far.send({ n })]));
  const expected = numbers(1000).map((n) => ({ n }));
  expect(await Promise.all([take(near, 1000), take(far, 1000)])).toEqual([expected, expected]);
  await sending;
});

test("an unreadable message is an error in its position", async () => {
  const [near, far] = await socketPair();
  near.end('{"n":1}\nnonsense\n{"n":2}\n');
  expect(await collect(channel(far, jsonLines))).toEqual([{ n: 1 }, "parse_error", { n: 2 }]);
});

test("a message that the peer did not finish is reported at the end", async () => {
  const [near, far] = await socketPair();
  near.end('{"n":1}\n{"n":');
  expect(await collect(channel(far, jsonLines))).toEqual([{ n: 1 }, "connection_lost"]);
});

test("a value that has no JSON form is refused, and the channel goes on", async () => {
  const [near, far] = await channelPair();
  await expect(near.send(undefined)).rejects.toMatchObject({ code: "not_serialisable" });
  await near.send("next");
  await near.close();
  expect(await collect(far)).toEqual(["next"]);
});

test("finished bytes are sent as they are", async () => {
  const [near, far] = await channelPair();
  expect(near.trySend(Buffer.from('{ "n" : 1 }\n'))).toBe(true);
  await near.close();
  expect(await collect(far)).toEqual([{ n: 1 }]);
});

test("reading waits for a slow loop, and sending for the peer", async () => {
  const [nearSocket, farSocket] = await socketPair();
  const [near, far] = [channel(nearSocket, jsonLines), channel(farSocket, jsonLines)];
  let isSent = false;
  const sending = near.send(MUCH).then(() => (isSent = true));
  await until(() => farSocket.readableLength > 0);
  for (const _ of numbers(20)) await nextTurn();
  expect(isSent).toBe(false);
  expect(farSocket.readableLength).toBeLessThanOrEqual(2 * farSocket.readableHighWaterMark);

  const received = collect(far);
  await sending;
  await near.close();
  expect(await received).toEqual([MUCH]);
});

test("the queue is bounded, takes any one message when empty, and drains", async () => {
  const [near, far] = await channelPair(10_000);
  const large = encodeLine(MUCH);
  const small = encodeLine("small");
  expect(near.trySend(large)).toBe(true);
  expect(near.trySend(small)).toBe(false);
  expect(near.queuedBytes).toBe(large.length);
  await expect(near.send("small")).rejects.toMatchObject({
    code: "queue_full",
    data: { bytes: small.length, queued: large.length, limit: 10_000 },
  });

  const received = collect(far);
  await near.drained();
  expect(near.queuedBytes).toBe(0);
  expect(near.trySend(small)).toBe(true);
  await near.drained();
  await near.close();
  expect(await received).toEqual([MUCH, "small"]);
});

test("close sends what is queued, ends the peer's loop, and may be called again", async () => {
  const [near, far] = await channelPair();
  const received = collect(far);
  near.trySend(encodeLine(MUCH));
  near.trySend(encodeLine("last"));
  await Promise.all([near.close(), near.close()]);
  expect(await received).toEqual([MUCH, "last"]);
  expect(await near.ended).toEqual({ reason: "closed" });
  expect(await far.ended).toEqual({ reason: "peer_closed" });
});

test("close does not wait for a peer that does not read, and informs the sender", async () => {
  const [near] = await channelPair();
  const error = errorFrom(near.send(MUCH));
  await near.close();
  expect(await error).toMatchObject({ code: "connection_lost" });
  expect(await near.ended).toEqual({ reason: "closed" });
});

test("after close nothing is sent", async () => {
  const [near] = await channelPair();
  await near.close();
  expect(near.trySend(encodeLine("late"))).toBe(false);
  await expect(near.send("late")).rejects.toMatchObject({ code: "connection_lost" });
  await expect(near.drained()).rejects.toMatchObject({ code: "connection_lost" });
});

test("close ends the loop of its own side", async () => {
  const [near] = await channelPair();
  const received = collect(near);
  await near.close();
  expect(await received).toEqual([]);
});

test("`await using` closes", async () => {
  const [nearSocket, farSocket] = await socketPair();
  {
    await using near = channel(nearSocket, jsonLines);
    await near.send("hello");
  }
  expect(await collect(channel(farSocket, jsonLines))).toEqual(["hello"]);
  expect(nearSocket.destroyed).toBe(true);
});

test("a peer that only ends its side can be answered", async () => {
  const [nearSocket, farSocket] = await socketPair();
  const far = channel(farSocket, jsonLines);
  nearSocket.end('"question"\n');
  expect(await collect(far)).toEqual(["question"]);
  expect(await far.ended).toEqual({ reason: "peer_closed" });
  await far.send("answer");
  await far.close();
  expect(await collect(channel(nearSocket, jsonLines))).toEqual(["answer"]);
});

test("a channel yields what the peer sent before it left, although our own message fails", async () => {
  const [near, farSocket] = await socketPair();
  // More than Node reads ahead, less than the kernel keeps for a reader that is late.
  const answers = numbers(150).map((n) => `${n}`.padStart(1000));
  near.write(answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
  near.end(() => near.destroy());
  await until(() => near.destroyed);

  const far = channel(farSocket, jsonLines);
  const error = errorFrom(far.send("question"));
  expect(await collect(far)).toEqual(answers);
  const lost = { code: "connection_lost", cause: { code: "EPIPE" } };
  expect(await error).toMatchObject(lost);
  expect(await far.ended).toMatchObject({ reason: "lost", error: lost });
  await until(() => farSocket.destroyed);
});

test("a channel yields what had arrived when the peer resets the connection", async () => {
  const [near, farSocket] = await socketPair();
  const far = channel(farSocket, jsonLines);
  far.trySend(encodeLine(MUCH));
  near.end('"first"\n"second"\n', () => near.destroy());
  await until(() => farSocket.destroyed);
  expect(await collect(far)).toEqual(["first", "second"]);
  expect(await far.ended).toMatchObject({ reason: "lost", error: { code: "connection_lost" } });
});

test("the death of a peer that had ended its side is noticed by the next message", async () => {
  const [near, farSocket] = await socketPair();
  const far = channel(farSocket, jsonLines);
  near.end();
  expect(await collect(far)).toEqual([]);
  near.destroy();
  await until(() => near.destroyed);
  await expect(far.send("anyone?")).rejects.toMatchObject({ code: "connection_lost" });
  await until(() => farSocket.destroyed);
  expect(far.trySend(encodeLine("anyone?"))).toBe(false);
});
