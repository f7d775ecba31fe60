import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { HostProcess } from "../support/engine-host-process.ts";
import type { Stage } from "../support/rehearsed.ts";
import { Performance, setStage } from "../support/rehearsed.ts";
import { processesOf } from "../support/stage-processes.ts";

const longCommand = "for i in $(seq 300); do sleep 1; done; echo late";

async function startLongTurn(stage: Stage): Promise<HostProcess> {
  const host = new HostProcess(stage);
  host.say("work");
  const { request_id } = await host.until("ask");
  host.answer(request_id, true);
  // The CLI, the shell of the tool, and what runs in it.
  await vi.waitFor(() => expect(processesOf(stage).length).toBeGreaterThanOrEqual(3), {
    timeout: 10_000,
  });
  return host;
}

const script = {
  rules: [
    {
      times: 1,
      when: { user: "work" },
      tools: [{ name: "Bash", input: { command: longCommand } }],
    },
    { text: "I go on." },
  ],
};

test("a host that is killed in the middle of a turn leaves no process and no request behind", async () => {
  const stage = await setStage(script);
  const host = await startLongTurn(stage);
  const requests = stage.rehearsal.journal.entries.length;
  await host.kill();
  await vi.waitFor(() => expect(processesOf(stage)).toEqual([]), { timeout: 5_000, interval: 50 });
  await delay(3_000);
  expect(stage.rehearsal.journal.entries).toHaveLength(requests);
});

test("a CLI that is killed leaves no tool behind, and the session is taken up again", async () => {
  const stage = await setStage(script);
  const host = await startLongTurn(stage);
  const left = processesOf(stage);
  process.kill(host.cliPid, "SIGKILL");
  await vi.waitFor(
    () => expect(processesOf(stage).filter((pid) => left.includes(pid))).toEqual([]),
    { timeout: 5_000, interval: 50 },
  );
  expect(await host.until("closed")).toMatchObject({
    error: { code: "cli_exited", retryable: true },
  });
  expect(await host.until("turn_ended")).toMatchObject({ text: "I go on." });
});

test("a CLI that is killed, and is not taken up again, sends the model nothing more", async () => {
  const stage = await setStage(script);
  const performance = new Performance(stage);
  performance.engine.push({ id: randomUUID(), content: "work" });
  await vi.waitFor(() => expect(processesOf(stage).length).toBeGreaterThanOrEqual(3), 20_000);
  const requests = stage.rehearsal.journal.entries.length;
  process.kill(performance.engine.pid ?? 0, "SIGKILL");
  await vi.waitFor(() => expect(processesOf(stage)).toEqual([]), { timeout: 5_000, interval: 50 });
  await delay(3_000);
  expect(stage.rehearsal.journal.entries).toHaveLength(requests);
});
