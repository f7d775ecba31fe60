import { setImmediate as nextLoop } from "node:timers/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputQueue } from "./input-queue.ts";

const item = (id: number) => ({ id });

async function drain(queue: InputQueue<{ id: number }>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of queue) ids.push(id);
  return ids;
}

describe("InputQueue", () => {
  it("returns items pushed before and after the reader came, in order, and ends when closed", async () => {
    const queue = new InputQueue<{ id: number }>();
    queue.push(item(1));
    const drained = drain(queue);
    await nextLoop();
    queue.push(item(2));
    queue.push(item(3));
    await nextLoop();
    queue.close();
    expect(await drained).toEqual([1, 2, 3]);
  });

  it("drops unread items when it is closed, and takes no more", async () => {
    const queue = new InputQueue<{ id: number }>();
    expect(queue.closed).toBe(false);
    expect(queue.push(item(1))).toBe(true);
    queue.close();
    queue.close();
    expect(queue.closed).toBe(true);
    expect(queue.push(item(2))).toBe(false);
    expect(await drain(queue)).toEqual([]);
  });

  it("ends a waiting reader when it is closed", async () => {
    const queue = new InputQueue<{ id: number }>();
    const drained = drain(queue);
    await nextLoop();
    queue.close();
    expect(await drained).toEqual([]);
  });

  it("loses, doubles and reorders nothing, at any interleaving", async () => {
    const steps = fc.array(fc.constantFrom("push", "microtask", "loop"));
    await fc.assert(
      fc.asyncProperty(steps, steps, async (before, after) => {
        const queue = new InputQueue<{ id: number }>();
        let pushed = 0;
        const run = async (names: string[]) => {
          for (const name of names) {
            if (name === "push") queue.push(item(pushed++));
            else if (name === "microtask") await Promise.resolve();
            else await nextLoop();
          }
        };
        await run(before);
        const drained = drain(queue);
        await run(after);
        await nextLoop();
        queue.close();
        expect(await drained).toEqual(Array.from({ length: pushed }, (_, id) => id));
      }),
    );
  });
});
