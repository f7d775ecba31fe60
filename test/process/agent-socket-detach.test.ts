import { execFile } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { pidNamespace, processId } from "../../src/proc/process-identity.ts";
import { sweepTree } from "../../src/proc/sweep-processes.ts";
import { treeVariable } from "../../src/proc/tree-mark.ts";
import type { Home, ReadyLine } from "../support/agent-socket-process.ts";
import { newHome, startAgentSocket, writeScript } from "../support/agent-socket-process.ts";
import { SessionLineClient } from "../support/session-line-client.ts";
import { cliPidOf, processesOf } from "../support/stage-processes.ts";
import type { Stage } from "../support/rehearsed.ts";
import { describe, isRunning, until, variablesOf } from "./fixtures/proc-list.ts";

const run = promisify(execFile);
const bin = resolve(import.meta.dirname, "../../bin/agent-socket.js");
const starter = resolve(import.meta.dirname, "fixtures/hard-starter.py");
const script = `
name: detached
default:
  text: You said "\${user}".
`;

interface Detached extends ReadyLine {
  stderr: string;
}

/** Ends with the test, whatever becomes of it. */
function guard(pid: number): void {
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });
}

/** As a program starts it that ends whatever it has started, on a terminal that is closed. */
async function startHard(home: Home, args: string[], env: Record<string, string> = {}) {
  const { stdout } = await run("python3", [starter, process.execPath, bin, ...args], {
    cwd: home.root,
    env: { ...home.env, ...env },
    timeout: 60_000,
  });
  return JSON.parse(stdout) as { out: string; code: number; ended: number[] };
}

const left = (home: Home): string[] =>
  processesOf({ configDir: home.root }).filter((pid) => isRunning(Number(pid)));

test("[SES-83] a detached host outlives a starter that ends all its descendants, its terminal, and the sweep of its tree", async () => {
  const home = newHome();
  const flags = ["--cwd", home.cwd, "--rehearsal", writeScript(home, script), "--detach"];
  // As when the model of another session starts it with its shell.
  const mark = `${pidNamespace()}-${processId(process.pid)}/0-987654`;
  const { out, code, ended } = await startHard(home, flags, { [treeVariable]: mark });
  expect({ out, code }).toEqual({ out: expect.stringMatching(/^\{"type":"ready".*\}$/), code: 0 });
  const ready = JSON.parse(out) as Detached;
  guard(ready.pid);
  expect(ended.length).toBeGreaterThan(0);
  expect(ended).not.toContain(ready.pid);
  expect(ready.stderr).toBe(join(ready.log, "stderr.log"));
  await sweepTree({ mark, session: processId(process.pid).replace(/^\d+/, "999999999") });

  expect(variablesOf(ready.pid).filter((entry) => entry.startsWith(treeVariable))).toEqual([]);
  const { parent, session } = describe(ready.pid) ?? {};
  expect(parent).toBe(1);
  expect(isRunning(session ?? 0)).toBe(false);
  const client = new SessionLineClient(ready.socket);
  client.send({ type: "message", text: "hello" });
  expect(await client.until("done")).toMatchObject({ stop_reason: "completed" });

  client.send({ type: "shutdown" });
  await client.ended;
  await until(
    () => left(home),
    (pids) => pids.length === 0,
  );
  expect(existsSync(ready.socket)).toBe(false);
  expect(existsSync(join(ready.socket, ".."))).toBe(false);
  const logged = readFileSync(ready.stderr, "utf8");
  expect(logged).toContain('"msg":"ready"');
  expect(logged).toContain('"reason":"shutdown"');

  // The next one keeps what the one before said. Its CLI dies with it, as with any host.
  const again = await startHard(home, [...flags, "--resume", ready.session_id]);
  const next = JSON.parse(again.out) as Detached;
  guard(next.pid);
  expect(next).toMatchObject({ log_id: ready.log_id, stderr: ready.stderr });
  expect(readFileSync(`${next.stderr}.1`, "utf8")).toBe(logged);
  const stage = { configDir: home.root } as Stage;
  const cli = await until(
    () => {
      try {
        return cliPidOf(stage);
      } catch {
        return 0;
      }
    },
    (pid) => pid > 0,
  );
  process.kill(next.pid, "SIGKILL");
  await until(
    () => isRunning(cli),
    (lives) => !lives,
  );
  await until(
    () => left(home),
    (pids) => pids.length === 0,
    30_000,
  );
});

test("[SES-28] [SES-83] --detach prints the host's own error, has its exit code and leaves nothing when the start fails", async () => {
  const home = newHome();
  const unknown = "0b5f8f0e-6a4e-4f0e-9d35-1a2b3c4d5e6f";
  const args = ["--cwd", home.cwd, "--detach", "--resume", unknown];
  const [plain, json] = await Promise.all([
    startAgentSocket(home, args).ended,
    startAgentSocket(home, [...args, "--json"]).ended,
  ]);
  expect(plain).toMatchObject({ code: 66, stdout: "" });
  expect(plain.stderr).toMatch(/^error: .*0b5f8f0e.* \(session_not_found\)\n/);
  expect(json).toMatchObject({ code: 66, stdout: "" });
  expect(JSON.parse(json.stderr)).toMatchObject({ code: "session_not_found" });
  expect(readdirSync(join(home.env["XDG_STATE_HOME"] ?? "", "switchboard/detached"))).toEqual([]);
  expect(left(home)).toEqual([]);
});

/** The real CLI, which does not say its version before `open` was called: so long the host is not ready. */
function slowCli(home: Home) {
  const path = join(home.root, "slow-claude");
  const asked = join(home.root, "asked");
  const gate = join(home.root, "gate");
  const hold = `echo > "${asked}"; until [ -e "${gate}" ]; do sleep 0.05; done`;
  writeFileSync(
    path,
    `#!/bin/sh\n[ "$1" != --version ] || { ${hold}; }\nexec "${locateCli()}" "$@"\n`,
  );
  chmodSync(path, 0o755);
  return { path, asked, open: () => writeFileSync(gate, "") };
}

test("[SES-83] a detached host outlives its starter also before it is ready; SIGINT to the starter ends it", async () => {
  const home = newHome();
  const flags = ["--cwd", home.cwd, "--rehearsal", writeScript(home, script), "--detach"];
  const cli = slowCli(home);
  const socket = join(home.root, "my.sock");
  const args = [...flags, "--claude-path", cli.path, "--socket", socket];
  const { ended } = await startHard(home, args, { KILL_WHEN: cli.asked });
  expect(ended.length).toBeGreaterThan(1);
  cli.open();
  await expect.poll(() => existsSync(socket)).toBe(true);
  const client = new SessionLineClient(socket);
  client.send({ type: "shutdown" });
  await client.ended;
  await until(
    () => left(home),
    (pids) => pids.length === 0,
  );

  const other = newHome();
  const slow = slowCli(other);
  const starting = startAgentSocket(other, [...flags, "--claude-path", slow.path]);
  await expect.poll(() => existsSync(slow.asked)).toBe(true);
  const { code, stdout } = await starting.end("SIGINT");
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
  slow.open();
  await until(
    () => left(other),
    (pids) => pids.length === 0,
    30_000,
  );
  expect(readdirSync(join(other.env["XDG_STATE_HOME"] ?? "", "switchboard/detached"))).toEqual([]);
});
