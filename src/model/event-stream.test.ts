import { expect, it } from "vitest";
import { EventStream } from "./event-stream.ts";

async function read(stream: EventStream<number>): Promise<unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const event of stream) seen.push(event);
  } catch (error) {
    seen.push(error);
  }
  return seen;
}

it("EventStream returns everything before the end, and nothing after it", async () => {
  const stream = new EventStream<number>();
  const reading = read(stream);
  stream.push(1);
  await Promise.resolve();
  stream.push(2);
  stream.end();
  stream.push(3);
  stream.end("late");
  expect(await reading).toEqual([1, 2]);
});

it("EventStream fails with the reason of the first end", async () => {
  const stream = new EventStream<number>();
  stream.push(1);
  stream.end("why");
  stream.end();
  expect(await read(stream)).toEqual([1, "why"]);
});
