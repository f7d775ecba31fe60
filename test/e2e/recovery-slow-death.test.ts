import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { sweepOrphans } from "../../src/proc/sweep-processes.ts";
import { treeVariable } from "../../src/proc/tree-mark.ts";
import { isRunning, letGo, until, watchdogsOf } from "../process/fixtures/proc-list.ts";
import { HostProcess } from "../support/engine-host-process.ts";
import { killAndRestart } from "../support/kill-and-restart.ts";
import { persona } from "../support/persona.ts";
import { setStage } from "../support/rehearsed.ts";
import { leaveMark, modelRequests, timesRun } from "../support/requests.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A CLI that hears of its host's death needs a tenth of this to write down that it got no answer. */
const OUTLIVES_MS = 1_000;

/**
 * The real CLI without its death signal: as where a system has none, or is slow to send it. Without its mark
 * too, so that it is left to its own watchdog: whoever starts beside this test sweeps for marked orphans.
 */
function slowToDie(): string {
  const file = join(tempDir(), "claude");
  writeFileSync(
    file,
    `#!/bin/sh\nunset ${treeVariable}\nexec setpriv --pdeathsig clear -- '${locateCli()}' "$@"\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

/** Kills the host; CLI and watchdog live on for a while. */
async function killSlowly(host: HostProcess): Promise<void> {
  const pid = host.pid ?? 0;
  const [watchdog] = await until(
    () => watchdogsOf(pid),
    ({ length }) => length === 1,
  );
  const stopped = watchdog?.pid ?? 0;
  onTestFinished(() => letGo(stopped));
  process.kill(stopped, "SIGSTOP");
  await host.kill();
  await sweepOrphans();
  await delay(OUTLIVES_MS);
  expect(isRunning(host.cliPid)).toBe(true);
  letGo(stopped);
  await until(
    () => watchdogsOf(pid),
    ({ length }) => length === 0,
  );
}

test.for([
  ["is", false],
  ["was asked again and is", true],
] as const)(
  "a CLI that outlives its host does not use up a question that %s open",
  async ([, askedAgain]) => {
    const stage = await setStage({
      rules: [
        { when: { user: "make the mark" }, tools: [leaveMark("one")], times: 1 },
        { when: { tool_result: "Bash" }, text: "It is done." },
        { text: "I have nothing to add." },
      ],
    });
    const host = new HostProcess(stage, { claudePath: slowToDie(), appendSystemPrompt: persona });
    host.say("make the mark");
    const { request_id } = await host.until("ask");
    await vi.waitFor(() => expect(host.onDisk(request_id)).toBe(true), 30_000);
    if (askedAgain) {
      const since = await killAndRestart(host, "host");
      await host.until("ask", { since });
    }
    const asked = modelRequests(stage).length;
    const since = host.told.length;
    await killSlowly(host);
    host.restart();
    expect(await host.until("plan", { since })).toMatchObject({ parked: true });
    expect(await host.until("ask", { since })).toMatchObject({ request_id });
    expect(modelRequests(stage)).toHaveLength(asked);
    expect(timesRun(stage, "one")).toBe(0);
    host.answer(request_id, true);
    expect(await host.until("turn_ended", { since })).toMatchObject({ text: "It is done." });
    expect(timesRun(stage, "one")).toBe(1);
  },
);
