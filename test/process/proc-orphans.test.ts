import { expect, test } from "vitest";
import { sweepOrphans } from "../../src/proc/sweep-processes.ts";
import { pidNamespace, processId } from "../../src/proc/process-identity.ts";
import { treeVariable } from "../../src/proc/tree-mark.ts";
import { isRunning, processesWith, until } from "./fixtures/proc-list.ts";
import { startHost, startHostBesideJob } from "./fixtures/proc-start-host.ts";
import { newTestMark, startProcess } from "./fixtures/proc-start-process.ts";
import { treeSize } from "./fixtures/proc-tree.ts";

// A sweep for orphans goes over the whole machine, so the number that it gives may hold others' orphans.

test("orphans of a host that died together with its watchdog are ended by the next host", async () => {
  const dead = await startHost({ expected: treeSize + 1 });
  const living = await startHost({ expected: treeSize + 1 });
  const child = dead.tree.find(({ parent }) => parent === dead.pid)?.pid ?? 0;
  process.kill(dead.pid, "SIGSTOP"); // or it would replace its watchdog
  process.kill(dead.watchdog, "SIGKILL");
  process.kill(dead.pid, "SIGKILL");
  await dead.exited;
  // Nothing else is left to do it, so this is the death signal's work.
  await until(
    () => isRunning(child),
    (running) => !running,
  );
  await sweepOrphans();
  // One is out of reach: no environment, its parent gone, and no process left that knew its session.
  expect(processesWith(dead.token).map(({ command }) => command)).toEqual([`sleep ${dead.token} `]);
  expect(processesWith(living.token)).toHaveLength(treeSize + 1);
});

test("a person's own job in the session of a host that died with its watchdog runs on", async () => {
  const { pid, watchdog, job, commands } = await startHostBesideJob();
  process.kill(pid, "SIGSTOP");
  process.kill(watchdog, "SIGKILL");
  process.kill(pid, "SIGKILL");
  await until(
    () => isRunning(pid),
    (running) => !running,
  );
  await sweepOrphans();
  expect(commands()).toEqual([job]);
});

test("processes of a dead host are ended; those of the living and of other namespaces are not", async () => {
  const host = await startProcess({});
  const itsMark = `${pidNamespace()}-${processId(host.pid)}/0-1`;
  const living = await startProcess({ [treeVariable]: newTestMark() });
  const foreign = await startProcess({ [treeVariable]: `1-${host.pid}-1/0-1` });
  const broken = await startProcess({ [treeVariable]: `${pidNamespace()}-.*/0-1` });
  const orphan = await startProcess({ [treeVariable]: itsMark });
  const orphanBelow = await startProcess({ [treeVariable]: `${newTestMark()},${itsMark}` });
  // Orphans from now on. Another host that starts beside this test sweeps too, and may be faster.
  process.kill(host.pid, "SIGKILL");
  await until(
    () => isRunning(host.pid),
    (running) => !running,
  );
  await sweepOrphans();
  await expect.poll(() => [orphan, orphanBelow].filter((one) => isRunning(one.pid))).toEqual([]);
  expect([living, foreign, broken].filter((one) => !isRunning(one.pid))).toEqual([]);
});
