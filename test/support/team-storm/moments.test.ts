import { expect, test } from "vitest";
import { untilMoment } from "./moments.ts";

test("a moment that fails to come does not fail the round, and waits for its end", async () => {
  const round = new AbortController();
  let ended: string | undefined;
  const waiting = untilMoment(Promise.reject(new Error("not within 90 s")), round.signal).then(
    (how) => (ended = how),
  );
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(ended).toBeUndefined();
  round.abort();
  expect(await waiting).toBe("over");
});

test("whichever comes first counts, also when it has come before", async () => {
  const round = new AbortController();
  expect(await untilMoment(Promise.resolve(), round.signal)).toBe("came");
  round.abort();
  expect(await untilMoment(new Promise(() => {}), round.signal)).toBe("over");
});
