import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { EngineEvent } from "../../src/engine/events.ts";
import { recover } from "../../src/engine/recovery/recover.ts";
import { HostProcess } from "../support/engine-host-process.ts";
import { Performance, setStage } from "../support/rehearsed.ts";

const outside = ["one", "two"].map((name) => ({
  name: "Read",
  input: { file_path: `/etc/switchboard-${name}` },
}));

test("questions that a crash took back are not told, after the next one, as calls that may have run", async () => {
  const stage = await setStage({
    rules: [{ when: { tool_result: "Read" }, text: "I have looked." }, { tools: outside }],
  });
  const host = new HostProcess(stage);
  host.say("look");
  const asked = (since: number) =>
    host.told.slice(since).flatMap((event) => (event.type === "ask" ? [event.request_id] : []));
  const rowsOf = (since: number) => asked(since).filter((id) => host.onDisk(id));
  let since = 0;
  for (let death = 0; death < 2; death += 1) {
    // On disk, so that the next start finds them there.
    await vi.waitFor(() => expect(rowsOf(since)).toHaveLength(2), 30_000);
    since = host.told.length;
    await host.kill();
    host.restart();
    await host.until("plan", { since });
  }
  await vi.waitFor(() => expect(asked(since)).toHaveLength(2), 30_000);
  for (const id of asked(since)) host.answer(id, false);
  expect(await host.until("turn_ended", { since })).toMatchObject({ text: "I have looked." });
  const told = JSON.stringify(stage.rehearsal.journal.entries.at(-1)?.body?.["messages"]);
  expect(told).not.toMatch(/may have run|outcome is unknown|interrupted: /);
});

test("a session is found where its own HOME puts it", async () => {
  const stage = await setStage({ rules: [{ text: "I am here." }] });
  const env: Record<string, string> = { ...stage.env, HOME: join(stage.configDir, "home") };
  delete env["CLAUDE_CONFIG_DIR"];
  const sessionId = randomUUID();
  const first = new Performance({ ...stage, env }, { sessionId });
  const { messages } = await first.ask("hello");
  await first.engine.close();

  const told: EngineEvent[] = [];
  const { engine, plan } = recover(
    {
      cwd: stage.cwd,
      env,
      settingSources: [],
      decide: async () => ({ allow: true }),
      onEvent: (event) => told.push(event),
    },
    sessionId,
    { messages: [{ id: messages[0]!, content: "hello" }], openTurn: true, calls: [] },
  );
  onTestFinished(() => engine.close());
  expect(plan).toMatchObject({ resume: true, seen: messages, push: [], rerun: false });
  await engine.ready();
});
