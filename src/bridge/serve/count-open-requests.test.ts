import { expect, test } from "vitest";
import { OpenRequests } from "./count-open-requests.ts";

test("OpenRequests waits until every request is answered, counts each once, and can be reused", async () => {
  const requests = new OpenRequests();
  await requests.allAnswered();
  for (const round of [1, 2]) {
    const [first, second] = [requests.open(), requests.open()];
    let none = false;
    const waiting = requests.allAnswered().then(() => (none = true));
    first();
    first();
    await new Promise((resolve) => setImmediate(resolve));
    expect({ round, none }).toEqual({ round, none: false });
    second();
    await waiting;
  }
  await requests.allAnswered();
});
