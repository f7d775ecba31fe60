import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { rehearsalEnvironment } from "../../src/rehearsal/rehearsal-environment.ts";
import { startRehearsal } from "../../src/rehearsal/start-rehearsal.ts";
import type { ListedSession } from "../../src/session/host/list-sessions.ts";
import { newHome, startAgentSocket } from "../support/agent-socket-process.ts";

const program = resolve(import.meta.dirname, "../../bin/agent-socket.js");

/** A home whose CLI talks to a rehearsal, started by agent-socket or by hand. */
async function stage() {
  const rehearsal = await startRehearsal({ script: { default: { text: 'You said "${user}".' } } });
  onTestFinished(() => rehearsal.close());
  const home = newHome();
  const config = join(home.root, "claude");
  mkdirSync(join(config, "commands"), { recursive: true });
  writeFileSync(join(config, "commands/deploy.md"), "Deploy it: $ARGUMENTS\n");
  Object.assign(home.env, rehearsalEnvironment(rehearsal.url), { CLAUDE_CONFIG_DIR: config });
  const claude = async (...args: string[]): Promise<string> => {
    const run = promisify(execFile)(locateCli(), ["-p", ...args], { cwd: home.cwd, env: home.env });
    run.child.stdin?.end();
    return (await run).stdout.trim();
  };
  const list = async (): Promise<ListedSession[]> => {
    const { stdout, code } = await startAgentSocket(home, ["list", "--json"]).ended;
    expect(code).toBe(0);
    return stdout
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ListedSession);
  };
  /** What the model was shown in the newest request of the conversation. */
  const shown = (): string =>
    JSON.stringify(
      rehearsal.journal.entries.findLast(({ kind }) => kind === "main")?.body?.messages,
    );
  return { home, claude, list, shown };
}

test("[SES-33] [SES-55] a session goes from claude to agent-socket, through /clear and a kill, and back", async () => {
  const { home, claude, list, shown } = await stage();
  const begun = randomUUID();
  expect(await claude("--session-id", begun, "the first words")).toBe(
    'You said "the first words".',
  );
  expect(await list()).toMatchObject([
    { session_id: begun, cwd: home.cwd, title: "the first words" },
  ]);
  expect((await list())[0]).not.toHaveProperty("running");

  // Begun in claude, taken up here.
  const debug = ["--log-level", "debug", "--claude-path", talkativeCli(home.root)];
  const host = startAgentSocket(home, ["--cwd", home.cwd, "--continue", ...debug]);
  const { session_id, socket, pid, log_id, log } = await host.ready;
  expect(session_id).toBe(begun);
  const client = await host.connect();
  // A new client sees what was said in claude.
  const reader = await host.connect();
  reader.send({ type: "attach", since: 0, log_id });
  expect(await reader.until("earlier")).toMatchObject({
    messages: [
      { role: "user", text: "the first words" },
      { role: "assistant", text: 'You said "the first words".' },
    ],
    omitted: 0,
  });
  reader.socket.destroy();
  client.send({ type: "message", text: "the second words" });
  await client.until("done");
  expect(shown()).toContain("the first words");
  expect(await list()).toMatchObject([
    { session_id: begun, log, running: { pid, socket, log_id } },
  ]);

  // Found by the beginning of its id; commands of the CLI and of the user pass, a mistyped one does not.
  const attach = (input: string) =>
    execa(process.execPath, [program, "attach", begun.slice(0, 8), "--wait"], {
      input,
      env: home.env,
      extendEnv: false,
      reject: false,
    });
  expect(await attach("/deploy now\n")).toMatchObject({ exitCode: 0 });
  expect(shown()).toContain("Deploy it: now");
  const mistyped = await attach("/depoly now\n");
  expect(mistyped).toMatchObject({ exitCode: 64, stdout: "" });
  expect(mistyped.stderr).toContain("There is no command /depoly. Did you mean /deploy?");
  client.send({ type: "status" });
  const { slash_commands: known } = await client.until("status", { fits: ({ seq }) => !seq });
  const names = (known as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["clear", "compact", "context", "deploy"]));

  // The CLI goes on under another id, and log and lock go along.
  client.send({ type: "message", text: "/clear" });
  const changed = await client.until("session_changed", {
    fits: ({ previous }) => previous === begun,
  });
  const cleared = String(changed["session_id"]);
  client.send({ type: "message", text: "the third words", id: "third" });
  await client.until("done", { fits: ({ messages }) => (messages as string[]).includes("third") });
  expect(shown()).not.toContain("the first words");
  await expect.poll(locks(home), { timeout: 10_000 }).toEqual([expect.stringContaining(cleared)]);
  const { stderr } = await host.end("SIGKILL");
  // A message of an unknown kind is in the program's log, and nothing else that the CLI says.
  const passedOver = stderr.split("\n").filter((line) => line.includes("was ignored"));
  expect(passedOver).toEqual([expect.stringContaining('"sdk_type":"brand_new"')]);
  // As if it had been killed before it could log what the model said, which the CLI had written down.
  cutLog(home, log_id, "text_delta");

  const again = startAgentSocket(home, ["--cwd", home.cwd, "--resume", cleared]);
  expect(await again.ready).toMatchObject({ session_id: cleared, log_id });
  const late = await again.connect();
  late.send({ type: "attach", since: 0, log_id });
  const done = await late.until("done", {
    fits: ({ messages }) => (messages as string[]).includes("third"),
  });
  expect(done).toMatchObject({ stop_reason: "host_lost" });
  const said = late.told.findLast(({ type }) => type === "text_delta");
  expect(said).toMatchObject({ text: 'You said "the third words".', turn_id: done["turn_id"] });
  await again.end("SIGTERM");
  expect(locks(home)()).toEqual([]);

  // What was before /clear is a session of its own, with a log of its own.
  const fork = startAgentSocket(home, ["--cwd", home.cwd, "--resume", begun, "--fork"]);
  const forked = await fork.ready;
  expect([begun, cleared]).not.toContain(forked.session_id);
  expect(forked.log_id).not.toBe(log_id);
  const forkClient = await fork.connect();
  forkClient.send({ type: "message", text: "in a copy" });
  await forkClient.until("done");
  expect(shown()).toContain("the second words");
  await fork.end("SIGTERM");

  // Begun or continued here, taken up in claude.
  expect(await claude("--resume", cleared, "the fourth words")).toBe(
    'You said "the fourth words".',
  );
  expect(shown()).toContain("the third words");
});

/** Ours, which says something first that no version has said before. */
function talkativeCli(directory: string): string {
  const file = join(directory, "talkative-claude");
  const say = `[ "$1" = --version ] || echo '{"type":"brand_new"}'`;
  writeFileSync(file, `#!/bin/sh\n${say}\nexec "${locateCli()}" "$@"\n`, { mode: 0o755 });
  return file;
}

/** Takes away the last event of this type and all that follow it. */
function cutLog({ env }: { env: Record<string, string> }, logId: string, type: string): void {
  const directory = join(env["XDG_STATE_HOME"] ?? "", "switchboard/logs", logId);
  const file = join(directory, "events.jsonl");
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findLastIndex((line) => line.includes(`"type":"${type}"`));
  writeFileSync(
    file,
    lines
      .slice(0, at)
      .map((line) => `${line}\n`)
      .join(""),
  );
  rmSync(join(directory, "checkpoint.json"), { force: true });
}

const locks =
  ({ env }: { env: Record<string, string> }) =>
  (): string[] =>
    readdirSync(join(env["XDG_STATE_HOME"] ?? "", "switchboard/locks"));
