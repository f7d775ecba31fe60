import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runToEnd } from "../../src/proc/run-to-end.ts";
import { tempDir } from "../support/temp-dir.ts";

const sh = (script: string, timeoutMs = 60_000) =>
  runToEnd({ command: "sh", args: ["-c", script], timeoutMs });

it("runToEnd returns a program's output, and whether it succeeded", async () => {
  expect(await sh("cat; echo said; echo asked >&2")).toEqual({
    ok: true,
    out: "said\n",
    err: "asked\n",
  });
  expect(await sh("echo no >&2; exit 3")).toEqual({ ok: false, out: "", err: "no\n" });
});

it("runToEnd ends a program that takes too long, with all that it started", async () => {
  const pidFile = join(tempDir(), "pid");
  const { ok } = await sh(`sleep 1000 & echo $! > ${pidFile}; wait`, 1_000);
  expect(ok).toBe(false);
  // On a machine so busy that it came to nothing within its time, there is none.
  if (!existsSync(pidFile)) return;
  const sleeper = readFileSync(pidFile, "utf8").trim();
  await expect.poll(() => existsSync(`/proc/${sleeper}`)).toBe(false);
});

it("runToEnd fails when there is no such program", async () => {
  const missing = runToEnd({ command: "no-such-program", args: [], timeoutMs: 1_000 });
  await expect(missing).rejects.toMatchObject({ code: "start_failed" });
});
