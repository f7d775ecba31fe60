import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { StartOptions } from "../../src/engine/engine.ts";
import type { PermissionDecision } from "../../src/engine/ask-permission.ts";
import type { Stage } from "../support/rehearsed.ts";
import { Performance, setStage } from "../support/rehearsed.ts";
import { processesOf } from "../support/stage-processes.ts";

const longCommand = "for i in $(seq 300); do sleep 1; done; echo late";
const script = {
  rules: [
    { when: { user: "work" }, tools: [{ name: "Bash", input: { command: longCommand } }] },
    { when: { user: "tell" }, text: "A long story.", delta_chars: 2, delta_delay_ms: 500 },
    { text: "I am here." },
  ],
};

/** Far more than a close takes, far less than the long command. */
const BOUND_MS = 20_000;

async function timeToClose({ engine }: Performance): Promise<number> {
  const start = performance.now();
  await engine.close();
  return performance.now() - start;
}

const requests = ({ rehearsal }: Stage): number =>
  rehearsal.journal.entries.filter(({ kind }) => kind === "main").length;

const typesOf = ({ told }: Performance): string[] => told.map(({ type }) => type);

describe("close", () => {
  test("in the middle of an answer ends the turn, and waiting messages start no turn", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    const story = play.say("tell me");
    await play.until("text_delta");
    const waiting = play.say("and then?", { priority: "later" });
    const stateOf = (id: string, state: string) =>
      play.until("message_state", { fits: (event) => event.id === id && event.state === state });
    await stateOf(waiting, "queued");
    expect(await timeToClose(play)).toBeLessThan(BOUND_MS);
    await stateOf(waiting, "cancelled");
    expect(await play.until("turn_ended")).toMatchObject({
      messages: [story],
      stop_reason: "aborted",
    });
    expect(play.told.at(-1)).toEqual({ type: "closed" });
    expect(requests(stage)).toBe(1);
    expect(processesOf(stage)).toEqual([]);
  });

  test("in the middle of a tool leaves nothing of it behind", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    play.say("work");
    await play.until("ask");
    await vi.waitFor(() => expect(processesOf(stage).length).toBeGreaterThanOrEqual(3), 10_000);
    expect(await timeToClose(play)).toBeLessThan(BOUND_MS);
    expect(processesOf(stage)).toEqual([]);
    expect(play.told.at(-1)).toEqual({ type: "closed" });
  });

  test("during an open decision withdraws the question", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    play.decide = () => new Promise<PermissionDecision>(() => {});
    play.say("work");
    const { signal } = await play.until("ask");
    expect(signal.aborted).toBe(false);
    expect(await timeToClose(play)).toBeLessThan(BOUND_MS);
    expect(signal.aborted).toBe(true);
    expect(processesOf(stage)).toEqual([]);
  });

  test("before the CLI is up lets no message through", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    play.say("hello");
    expect(await timeToClose(play)).toBeLessThan(BOUND_MS);
    expect(requests(stage)).toBe(0);
    expect(processesOf(stage)).toEqual([]);
    expect(play.told.at(-1)).toEqual({ type: "closed" });
  });

  test("of a CLI that does not react kills it", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    await play.ask("hello");
    process.kill(play.engine.pid!, "SIGSTOP");
    const unanswered = play.engine.setModel("haiku").catch((thrown: unknown) => thrown);
    expect(await timeToClose(play)).toBeLessThan(20_000);
    expect(await unanswered).toMatchObject({
      code: "cli_exited",
      message: "The session is closed.",
    });
    expect(processesOf(stage)).toEqual([]);
  });

  test("twice, and at once, is reported once; afterwards no message is taken", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    await play.ask("hello");
    const closing = play.engine.close();
    expect(play.engine.open).toBe(false);
    expect(() => play.say("too late")).toThrow(expect.objectContaining({ code: "cli_exited" }));
    await Promise.all([closing, play.engine.close()]);
    await play.engine.close();
    expect(typesOf(play).filter((type) => type === "closed")).toHaveLength(1);
    await expect(play.engine.interrupt()).rejects.toMatchObject({ code: "cli_exited" });
    await expect(play.engine.setModel("haiku")).rejects.toMatchObject({ code: "cli_exited" });
    expect(play.told.at(-1)).toEqual({ type: "closed" });
  });
});

describe("a CLI that ends by itself", () => {
  test("is reported with the signal that ended it, and the session takes no more messages", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    play.decide = () => new Promise<PermissionDecision>(() => {});
    play.say("work");
    const { signal } = await play.until("ask");
    process.kill(play.engine.pid!, "SIGKILL");
    await play.engine.closed;
    expect(play.told.at(-1)).toEqual({
      type: "closed",
      error: expect.objectContaining({
        code: "cli_exited",
        message: "Claude Code was ended by SIGKILL",
        retryable: true,
        data: { exit_code: null, signal: "SIGKILL" },
      }),
    });
    expect(signal.aborted).toBe(true);
    expect(play.engine.open).toBe(false);
    expect(() => play.say("too late")).toThrow(expect.objectContaining({ code: "cli_exited" }));
    await expect(play.engine.ready()).resolves.toBeUndefined();
    await expect(play.engine.setMode("plan")).rejects.toMatchObject({ code: "cli_exited" });
  });

  test("in the middle of a request fails the request", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    await play.engine.ready();
    process.kill(play.engine.pid!, "SIGSTOP");
    const request = play.engine.setModel("haiku");
    process.kill(play.engine.pid!, "SIGKILL");
    await expect(request).rejects.toMatchObject({ code: "cli_exited" });
    await play.engine.closed;
  });

  test("while a message is on its way is explained by its signal, not by the broken pipe", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage);
    await play.ask("hello");
    process.kill(play.engine.pid!, "SIGKILL");
    for (let more = 0; more < 100 && play.engine.open; more += 1) play.say(`message ${more}`);
    const { error } = await play.until("closed");
    expect(error).toMatchObject({
      code: "cli_exited",
      message: "Claude Code was ended by SIGKILL",
    });
  });

  test.each([
    ["complains", "#!/bin/sh\necho 'no such option' >&2\nexit 3\n", "exit code 3: no such option"],
    ["says nothing", "#!/bin/sh\n", "exit code 0"],
    // 126 or 127: it depends on who refuses it, the system or the shell.
    ["is no program", "\u007fELF", "exit code 12"],
  ])("at its start, because the file %s", async (_name, text, words) => {
    const stage = await setStage(script);
    const claudePath = join(stage.cwd, "program");
    writeFileSync(claudePath, text, { mode: 0o755 });
    const play = new Performance(stage, { claudePath });
    play.say("hello");
    await expect(play.engine.ready()).rejects.toMatchObject({ code: "cli_exited" });
    await play.engine.closed;
    expect(play.told).toEqual([
      {
        type: "closed",
        error: expect.objectContaining({
          code: "cli_exited",
          message: expect.stringContaining(`Claude Code ended with ${words}`),
        }),
      },
    ]);
  });
});

describe("a session that cannot be", () => {
  test("because its id is unknown is reported as such, and not as a crash to be repaired", async () => {
    const stage = await setStage(script);
    const play = new Performance(stage, { resume: "11111111-2222-4333-8444-555555555555" });
    await expect(play.engine.ready()).rejects.toMatchObject({ code: "session_not_found" });
    await play.engine.closed;
    expect(play.told.at(-1)).toMatchObject({
      type: "closed",
      error: { code: "session_not_found", retryable: false },
    });
  });

  test.each<[string, string, (stage: Stage) => Partial<StartOptions>]>([
    [
      "a directory that is not there",
      "cwd_not_found",
      ({ cwd }) => ({ cwd: join(cwd, "nowhere") }),
    ],
    [
      "a file for a directory",
      "cwd_not_found",
      ({ cwd }) => {
        writeFileSync(join(cwd, "file"), "");
        return { cwd: join(cwd, "file") };
      },
    ],
    [
      "a CLI that is not there",
      "cli_not_found",
      ({ cwd }) => ({ claudePath: join(cwd, "claude") }),
    ],
    ["a directory for a CLI", "cli_not_found", ({ cwd }) => ({ claudePath: cwd })],
  ])("because of %s is refused at once", async (_name, code, options) => {
    const stage = await setStage(script);
    expect(() => new Performance(stage, options(stage))).toThrow(expect.objectContaining({ code }));
    expect(processesOf(stage)).toEqual([]);
  });
});

test("a working directory that is removed breaks its commands, not the session", async () => {
  const stage = await setStage({
    rules: [
      { when: { user: "write" }, tools: [{ name: "Bash", input: { command: "echo x > y" } }] },
      { when: { tool_result: { is_error: true } }, text: "It is gone." },
      { text: "I am here." },
    ],
  });
  const play = new Performance(stage);
  await play.ask("hello");
  rmSync(stage.cwd, { recursive: true });
  expect(await play.ask("write")).toMatchObject({ stop_reason: "completed", text: "It is gone." });
  expect(await play.ask("hello")).toMatchObject({ text: "I am here." });
  expect(await timeToClose(play)).toBeLessThan(BOUND_MS);
});
