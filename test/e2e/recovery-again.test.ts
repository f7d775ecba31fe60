import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { EngineEvent } from "../../src/engine/events.ts";
import { recover } from "../../src/engine/recovery/recover.ts";
import { HostProcess } from "../support/engine-host-process.ts";
import { killAndRestart } from "../support/kill-and-restart.ts";
import { conversationOf, leaveMark, modelRequests, timesRun } from "../support/requests.ts";
import { Performance, setStage } from "../support/rehearsed.ts";
import { rounds } from "../support/rounds.ts";

const restart = (host: HostProcess): Promise<number> => killAndRestart(host, "host");

const outside = ["one", "two"].map((name) => ({
  name: "Read",
  input: { file_path: `/etc/switchboard-${name}` },
}));

describe.each(rounds)("round %i", () => {
  test("questions that a crash superseded are not reported, after the next crash, as calls that may have run", async () => {
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
    const told = conversationOf(modelRequests(stage).at(-1));
    expect(told).not.toMatch(/may have run|outcome is unknown|interrupted: /);
  });

  test("a question that was asked again and then answered is not asked a third time", async () => {
    const stage = await setStage({
      rules: [
        { when: { user: "make the mark" }, tools: [leaveMark("one")], times: 1 },
        { text: "I will look what became of it." },
      ],
    });
    const host = new HostProcess(stage);
    host.say("make the mark");
    const { request_id } = await host.until("ask");
    await vi.waitFor(() => expect(host.onDisk(request_id)).toBe(true), 30_000);
    const first = await restart(host);
    expect(await host.until("plan", { since: first })).toMatchObject({ parked: true });
    expect(await host.until("ask", { since: first })).toMatchObject({ request_id });
    await host.answerUnheard(request_id, true);

    const since = await restart(host);
    expect(await host.until("turn_ended", { since })).toMatchObject({
      text: "I will look what became of it.",
    });
    expect(host.told.slice(since).filter(({ type }) => type === "ask")).toEqual([]);
    const told = conversationOf(modelRequests(stage).at(-1));
    expect(told).toContain("was started, its outcome is unknown");
    expect(timesRun(stage, "one")).toBe(0);
    expect(told.split("make the mark")).toHaveLength(2);
  });

  test("a call that finished while the model was still speaking is reported with its result", async () => {
    const stage = await setStage({
      rules: [
        {
          when: { user: "make two marks" },
          // The second is so long that the model still speaks when the first has ended.
          tools: [leaveMark("one", "echo MARKED-ONE"), leaveMark("two", `: ${"x".repeat(300)}`)],
          delta_delay_ms: 400,
          times: 1,
        },
        { text: "I know." },
      ],
    });
    const host = new HostProcess(stage);
    host.say("make two marks");
    const { request_id } = await host.until("ask");
    host.answer(request_id, true);
    // The CLI writes neither down before the model has finished.
    await host.until("tool_result");
    expect(host.onDisk(request_id)).toBe(false);
    // Twice: the second one comes before the words of the first are on disk, or after.
    await restart(host);
    const since = await restart(host);
    expect(await host.until("turn_ended", { since })).toMatchObject({ text: "I know." });
    const told = conversationOf(modelRequests(stage).at(-1));
    expect(told).toContain("ran to its end; its result was");
    expect(told).toContain("MARKED-ONE");
    expect(told.split("make two marks")).toHaveLength(2);
    expect(timesRun(stage, "one")).toBe(1);
  });

  test("messages that the CLI merged into one prompt are each there once after a crash", async () => {
    const stage = await setStage({ rules: [{ text: "I am here.", delay_ms: 1_500 }] });
    const host = new HostProcess(stage);
    host.say("WORDS-A.");
    await host.until("turn_started");
    host.say("WORDS-B.");
    host.say("WORDS-C.");
    const last = host.say("WORDS-D.");
    await vi.waitFor(() => expect(host.onDisk(last)).toBe(true), 30_000);
    const since = await restart(host);
    const next = host.say("WORDS-E.");
    await host.until("turn_ended", { since, fits: ({ messages }) => messages.includes(next) });
    const told = conversationOf(modelRequests(stage).at(-1));
    const copies = ["A", "B", "C", "D"].map((name) => told.split(`WORDS-${name}.`).length - 1);
    expect(copies).toEqual([1, 1, 1, 1]);
  });
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
