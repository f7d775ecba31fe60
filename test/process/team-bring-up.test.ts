import { spawn } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { processId } from "../../src/proc/tree-mark.ts";
import type { AgentStart } from "../../src/team/agents/agent-command.ts";
import { placeOfAgent } from "../../src/team/agents/agent-place.ts";
import { AgentRecord } from "../../src/team/agents/agent-record.ts";
import type { Up } from "../../src/team/agents/bring-up.ts";
import { bringUp } from "../../src/team/agents/bring-up.ts";
import { FakeSession } from "../support/fake-session.ts";
import { memoryDir } from "../support/temp-dir.ts";

/** An agent that runs already: a session in this process, and a process of its own that does nothing. */
async function runningAgent() {
  const directory = memoryDir();
  const place = placeOfAgent(join(directory, "state"), "boss");
  mkdirSync(dirname(place.socket), { recursive: true });
  const session = await new FakeSession(place.socket).start();
  const sleeper = spawn("sleep", ["600"]);
  onTestFinished(() => void sleeper.kill("SIGKILL"));
  const records = { write: async () => ({ applied: true }) };
  const record = new AgentRecord(records as never, "boss");
  await record.save({ process: processId(sleeper.pid ?? 0) });
  const end = new AbortController();
  const bring = async (): Promise<Up> => {
    const start = { place, cwd: directory } as AgentStart;
    const up = await bringUp(start, {}, record, end.signal);
    onTestFinished(() => up.session.close());
    return up;
  };
  return { session, sleeper, record, end, bring };
}

/** Nothing else happens in this process meanwhile. */
function hold(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

test("an agent that lives is attached to, not killed, though the team's process was held up when it looked", async () => {
  const { sleeper, bring } = await runningAgent();
  const up = bring();
  hold(1200);
  const { process } = await up;
  expect(process?.pid).toBe(sleeper.pid);
  expect([sleeper.exitCode, sleeper.signalCode]).toEqual([null, null]);
});

test("an agent is dialled for as long as its start may take", async () => {
  const { session, record, bring } = await runningAgent();
  const { setTimeout: wait } = globalThis;
  let waits = 0;
  vi.spyOn(globalThis, "setTimeout").mockImplementation((run: () => void, ms = 0) => {
    waits += 1;
    return wait(run, ms / 100);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  // It is there when it is looked for, and not when it is dialled.
  const { path } = session;
  const { note } = record;
  vi.spyOn(record, "note", "get").mockImplementationOnce(() => {
    renameSync(path, `${path}.away`);
    return note;
  });
  const up = bring();
  await Promise.race([up, vi.waitUntil(() => waits > 1500, { timeout: 30_000 })]);
  renameSync(`${path}.away`, path);
  expect((await up).session.init.log_id).toBe("log-1");
});

test("whoever gives the start up is not kept waiting", async () => {
  const { session, end, bring } = await runningAgent();
  session.held = new Promise(() => {});
  const up = bring();
  await session.until("attach");
  end.abort(new Error("too late"));
  await expect(up).rejects.toThrow("too late");
});
