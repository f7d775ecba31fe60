import { expect, it } from "vitest";
import { systemClock } from "../time/clock.ts";
import { waitFor } from "./look-until-found.ts";

const onEnd = () => () => undefined;
const noRing = (): void => undefined;
const failing = async () => Promise.reject(new Error("no"));

it("waitFor looks again when the bell rang during a look", async () => {
  let ring = noRing;
  let looks = 0;
  const look = async () => {
    looks += 1;
    if (looks > 1) return { found: "it" };
    // What it looked at is empty; before it is back, something arrives.
    ring();
    return {};
  };
  const listen = (call: () => void) => {
    ring = call;
    return () => undefined;
  };
  const waiting = waitFor(look, listen, { clock: systemClock, onEnd });
  // All of it happens before the loop turns, so nothing else decides the race.
  const asleep = new Promise((resolve) => setImmediate(resolve, "asleep"));
  expect(await Promise.race([waiting, asleep])).toBe("it");
  expect(looks).toBe(2);
});

it("waitFor leaves no listener or timer behind, however it ends", async () => {
  const listening = new Set<() => void>();
  const listen = (call: () => void) => {
    listening.add(call);
    return () => void listening.delete(call);
  };
  const around = { clock: systemClock, onEnd: listen };
  expect(await waitFor(async () => ({ found: 1 }), listen, around)).toBe(1);
  expect(await waitFor(async () => ({}), listen, { ...around, waitMs: 0 })).toBeUndefined();
  await expect(waitFor(failing, listen, around)).rejects.toThrow("no");
  const signal = AbortSignal.abort();
  expect(await waitFor(failing, listen, { ...around, signal })).toBeUndefined();
  expect(listening.size).toBe(0);
});
