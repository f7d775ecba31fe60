import { expect, test } from "vitest";
import { Owed } from "./owed.ts";

test("waits until every answer is given, counts each once, and can be used again", async () => {
  const owed = new Owed();
  await owed.none();
  for (const round of [1, 2]) {
    const [first, second] = [owed.owe(), owed.owe()];
    let none = false;
    const waiting = owed.none().then(() => (none = true));
    first();
    first();
    await new Promise((resolve) => setImmediate(resolve));
    expect({ round, none }).toEqual({ round, none: false });
    second();
    await waiting;
  }
  await owed.none();
});
