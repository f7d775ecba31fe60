import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pidNamespace, processId } from "../../src/proc/process-identity.ts";
import { treeVariable } from "../../src/proc/tree-mark.ts";
import type { AgentSocket, Home } from "../support/agent-socket-process.ts";
import {
  newHome,
  startAgentSocket,
  startSession,
  writeScript,
} from "../support/agent-socket-process.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { SessionLineClient } from "../support/session-line-client.ts";
import { cliPidOf } from "../support/stage-processes.ts";
import { isRunning } from "./fixtures/proc-list.ts";
import { startProcess } from "./fixtures/proc-start-process.ts";

const script = `
name: life
rules:
  - when: { user: touch }
    tools:
      - name: Bash
        input: { command: "touch made-by-tool" }
  - when: { tool_result: Bash }
    text: Done.
  - when: { user: think }
    text: Hm.
    delay_ms: 3000
default:
  text: You said "\${user}".
`;

const start = (home: Home, ...args: string[]): AgentSocket =>
  startSession(home, writeScript(home, script), ...args);

test("[SES-22] [SES-26] [SES-47] agent-socket prints one line when it is ready, and serves a plain client", async () => {
  const home = newHome();
  const host = start(home);
  const ready = await host.ready;
  expect(ready).toEqual({
    type: "ready",
    socket: expect.stringMatching(/\/agent-socket-[\w-]+\.sock$/),
    session_id: expect.stringMatching(/^[\da-f-]{36}$/),
    log_id: expect.any(String),
    log: expect.stringMatching(/\/logs\/[\da-f-]{36}$/),
    pid: host.child.pid,
    cli_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    cli_support: "proven",
  });
  expect(statSync(ready.socket).mode & 0o777).toBe(0o600);
  expect(statSync(join(ready.socket, "..")).mode & 0o777).toBe(0o700);

  const client = await host.connect();
  expect(client.told[0]).toMatchObject({ rehearsal: true, cwd: home.cwd, mode: "default" });
  client.send({ type: "message", text: "touch" });
  const asked = await client.until("approval_request");
  expect(existsSync(join(home.cwd, "made-by-tool"))).toBe(false);
  client.send({ type: "approve", request_id: asked["request_id"] });
  await client.until("done");
  expect(existsSync(join(home.cwd, "made-by-tool"))).toBe(true);

  // A second client sees the same, from the beginning. (Events may follow `done`, to each in its own time.)
  const seen = client.events;
  const second = await host.connect();
  second.send({ type: "attach", since: 0 });
  const last = seen.at(-1)!;
  await second.until(last.type, { fits: ({ seq }) => seq === last.seq });
  expect(second.events).toEqual(expect.arrayContaining(seen));
  expect(second.seqs).toEqual(second.seqs.map((_, index) => index + 1));
  expect(second.events.map(({ code }) => code)).toContain("rehearsal");

  // [SES-22] [SES-23]
  client.send({ type: "shutdown" });
  await client.until("closing", { fits: ({ reason }) => reason === "shutdown" });
  const { code, stdout, stderr } = await host.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${JSON.stringify(ready)}\n` });
  expect(stderr).not.toMatch(/"level":[56]0/);
  expect(existsSync(ready.socket)).toBe(false);
  expect(existsSync(join(ready.socket, ".."))).toBe(false);
  const state = join(home.env["XDG_STATE_HOME"] ?? "", "switchboard");
  expect(readdirSync(join(state, "locks"))).toEqual([]);
  expect(readdirSync(join(state, "logs"))).toEqual([ready.log_id]);
  expect(statSync(state).mode & 0o777).toBe(0o700);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "[SES-27] %s in the middle of an approval ends the turn, says closing, exits with 0",
  async (signal) => {
    const home = newHome();
    const socket = join(home.root, "my.sock");
    const host = start(home, "--socket", socket);
    const client = await host.connect();
    client.send({ type: "message", text: "touch" });
    await client.until("approval_request");
    const { code } = await host.end(signal);
    expect(code).toBe(0);
    await client.ended;
    const types = client.events.map(({ type }) => type);
    expect(types.filter((type) => type === "done")).toHaveLength(1);
    expect(client.told.at(-1)).toMatchObject({ type: "closing", reason: "signal" });
    expect(existsSync(socket)).toBe(false);
    expect(existsSync(join(home.cwd, "made-by-tool"))).toBe(false);
  },
);

test("[SES-29] [SES-30] a second host is refused; the next one continues a killed host's session and log", async () => {
  const home = newHome();
  const socket = join(home.root, "my.sock");
  const first = start(home, "--socket", socket);
  const { session_id, log_id, pid } = await first.ready;
  const client = await first.connect();
  client.send({ type: "message", text: "hello", id: "m1" });
  await client.until("done");

  // Whatever its state directory: the lock is the user's. (It is refused before it asks any model.)
  const refused = await startAgentSocket(
    home,
    ["--cwd", home.cwd, "--resume", session_id, "--state-dir", join(home.root, "other"), "--json"],
    { CLAUDE_CONFIG_DIR: join(home.env["XDG_STATE_HOME"] ?? "", "switchboard/rehearsal") },
  ).ended;
  expect(refused.code).toBe(73);
  const error = JSON.parse(refused.stderr.trim().split("\n").at(-1) ?? "") as object;
  expect(error).toMatchObject({ code: "session_in_use", data: { session_id, pid, socket } });

  await first.end("SIGKILL");
  expect(existsSync(socket)).toBe(true);
  const second = start(home, "--socket", socket, "--resume", session_id);
  expect(await second.ready).toMatchObject({ session_id, log_id, socket });
  const again = await second.connect();
  expect(again.told[0]).toMatchObject({ epoch: 2, log_id });
  // What the first client had is still the beginning of what there is.
  const had = client.events.at(-1)?.seq ?? 0;
  again.send({ type: "attach", since: had, log_id, epoch: 1 });
  expect(await again.until("attached")).toMatchObject({ reset: false, since: had });
  again.send({ type: "message", text: "hello", id: "m1", ref: "dup" });
  await again.until("ok");
  again.send({ type: "message", text: "more", id: "m2" });
  await again.until("done", { fits: ({ messages }) => (messages as string[]).includes("m2") });
  expect(again.seqs).toEqual(again.seqs.map((_, index) => had + 1 + index));
  expect(again.events.filter(({ type }) => type === "user_message").map(({ id }) => id)).toEqual([
    "m2",
  ]);
  await second.end("SIGTERM");
});

test("the next host of an idle session ends processes that a killed host and watchdog left", async () => {
  const home = newHome();
  const first = start(home);
  const { session_id, log_id } = await first.ready;
  await first.end("SIGTERM");
  const gone = await startProcess({});
  const mark = `${pidNamespace()}-${processId(gone.pid)}/0-1`;
  const leftOver = await startProcess({ [treeVariable]: mark });
  // From now on it is an orphan. Others who start here sweep too, but mostly later than this.
  process.kill(gone.pid, "SIGKILL");
  const second = start(home, "--resume", session_id);
  expect(await second.ready).toMatchObject({ log_id });
  expect(isRunning(leftOver.pid)).toBe(false);
  await second.end("SIGTERM");
});

test("[SES-6] [SES-21] a turn ends before the linger time begins; an observer sees it, changes nothing and does not extend the time", async () => {
  const home = newHome();
  const observe = join(home.root, "observe.sock");
  const host = start(home, "--observe-socket", observe, "--linger-ms", "1500");
  expect((await host.ready).observe_socket).toBe(observe);
  const client = await host.connect();
  const observer = new SessionLineClient(observe);
  expect(await observer.until("init")).toMatchObject({ read_only: true });
  observer.send({ type: "message", text: "let me" });
  expect(await observer.until("error")).toMatchObject({ code: "read_only" });
  client.send({ type: "message", text: "think" });
  await observer.until("user_message");
  client.socket.destroy();
  expect(await observer.until("done")).toMatchObject({ stop_reason: "completed" });
  const doneMs = performance.now();
  expect(await observer.until("closing")).toMatchObject({ reason: "linger" });
  expect(performance.now() - doneMs).toBeGreaterThan(1000);
  expect((await host.ended).code).toBe(0);
});

test("[SES-26] a session runs on when the process that started it ends before it is ready", async () => {
  const home = newHome();
  const socket = join(home.root, "my.sock");
  const host = start(home, "--socket", socket);
  host.child.stdout?.destroy();
  await expect.poll(() => existsSync(socket), { timeout: 30_000 }).toBe(true);
  const client = new SessionLineClient(socket);
  client.send({ type: "message", text: "hello" });
  expect(await client.until("done")).toMatchObject({ stop_reason: "completed" });
  expect((await host.end("SIGTERM")).code).toBe(0);
});

test("[SES-50] the log begins a new file at the size of the flag, and clients are sent its snapshot", async () => {
  const home = newHome();
  const host = start(home, "--log-segment-bytes", "65536");
  const { log_id } = await host.ready;
  const client = await host.connect();
  client.send({ type: "message", text: `look: ${"x".repeat(70_000)}` });
  await client.until("snapshot_begin");
  const logs = join(home.env["XDG_STATE_HOME"] ?? "", "switchboard/logs", log_id);
  expect(readdirSync(logs).filter((name) => /^events-\d+\.jsonl$/.test(name))).not.toEqual([]);
  await host.end("SIGTERM");
});

test("a socket in a directory that all may write to belongs to its owner alone", async () => {
  const home = newHome();
  const shared = join(home.root, "shared");
  mkdirSync(shared, { mode: 0o1777 });
  const host = start(home, "--socket", join(shared, "s.sock"));
  await host.ready;
  expect(statSync(join(shared, "s.sock")).mode & 0o777).toBe(0o600);
  expect((await host.end("SIGINT")).code).toBe(0);
});

test("[SES-27] a signal ends a session whose log waits for room on the disk", async (context) => {
  const disk = mountSmallDisk(context);
  const home = newHome();
  const host = start(home, "--state-dir", disk.directory);
  const { socket } = await host.ready;
  const client = await host.connect();
  disk.fill();
  client.send({ type: "message", text: "x".repeat(50_000), ref: "m" });
  expect(await client.until("error")).toMatchObject({ code: "log_write_failed", ref: "m" });
  const { code } = await host.end("SIGTERM");
  expect(code).toBe(0);
  expect(existsSync(socket)).toBe(false);
});

test("[SES-27] a second signal ends the host at once when the CLI ignores the first", async () => {
  const home = newHome();
  const host = start(home);
  const { socket } = await host.ready;
  const client = await host.connect();
  client.send({ type: "message", text: "touch" });
  await client.until("approval_request");
  const cli = cliPidOf({ configDir: home.root });
  process.kill(cli, "SIGSTOP");
  host.child.kill("SIGINT");
  // Of two signals that are on their way together, either may be the first.
  client.send({ type: "ping" });
  await client.until("pong");
  const { code } = await host.end("SIGTERM");
  expect(code).toBe(128 + 15);
  await client.ended;
  expect(client.told.map(({ type }) => type)).not.toContain("closing");
  expect(existsSync(socket)).toBe(false);
  await expect.poll(() => existsSync(`/proc/${cli}`)).toBe(false);
});
