import { expect, test } from "vitest";
import { interruptForReader, listenForInterruption } from "./listen-for-interruption.ts";

test("listenForInterruption resolves with SIGPIPE when the reader of the output is gone", async () => {
  expect(interruptForReader()).toBe(false);
  {
    using interruption = listenForInterruption();
    expect(interruptForReader()).toBe(true);
    expect(await interruption.first).toBe("SIGPIPE");
  }
  expect(interruptForReader()).toBe(false);
});

test("listenForInterruption leaves the signal SIGPIPE ignored, which the system sends for closed sockets", () => {
  using interruption = listenForInterruption();
  expect(interruption).toBeDefined();
  expect(process.listenerCount("SIGPIPE")).toBe(0);
});
