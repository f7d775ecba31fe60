import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { stopInStages } from "./stop-in-stages.ts";

test("stopInStages does not wait for ever for the search for what a child left behind", async () => {
  const child = spawn("true");
  const exited = once(child, "exit").then(() => ({ code: 0, signal: null }));
  await exited;
  const stopping = stopInStages(
    { process: child, exited, sweepRest: () => new Promise(() => {}) },
    { sweepMs: 20 },
  );
  await expect(stopping).rejects.toMatchObject({ code: "timeout" });
});
