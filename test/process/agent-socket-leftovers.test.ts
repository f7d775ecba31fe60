import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  newHome,
  startAgentSocket,
  startSession,
  writeScript,
} from "../support/agent-socket-process.ts";

const script = "default: { text: I am here. }\n";

test("the socket that Claude Code leaves when its host is killed is removed by the next host", async () => {
  const home = newHome();
  const temp = join(home.root, "tmp");
  mkdirSync(temp);
  home.env["TMPDIR"] = temp;
  const file = writeScript(home, script);
  const host = startSession(home, file);
  const { session_id } = await host.ready;
  const sockets = () =>
    existsSync(join(temp, "cc-socks")) ? readdirSync(join(temp, "cc-socks")) : [];
  const client = await host.connect();
  client.send({ type: "message", text: "hello" });
  await client.until("done");
  await expect.poll(sockets, { timeout: 20_000 }).toHaveLength(1);
  const [left = ""] = sockets();
  await host.end("SIGKILL");

  const next = startSession(home, file, "--resume", session_id);
  await next.ready;
  await expect.poll(sockets, { timeout: 20_000 }).not.toContain(left);
  await next.end("SIGTERM");
});

test("a second host is refused after the state directory was removed, and the session keeps its log", async () => {
  const home = newHome();
  const file = writeScript(home, script);
  const host = startSession(home, file);
  const { session_id, log_id } = await host.ready;
  const state = join(home.env["XDG_STATE_HOME"] ?? "", "switchboard");
  const client = await host.connect();
  client.send({ type: "message", text: "hello", id: "m1" });
  await client.until("done");
  // In one step: the host puts its files back while a slow removal is still under way.
  const gone = `${state}-gone`;
  renameSync(state, gone);
  rmSync(gone, { recursive: true });
  await expect.poll(() => existsSync(join(state, "locks")), { timeout: 20_000 }).toBe(true);
  const second = await startSession(home, file, "--resume", session_id).ended;
  expect(second).toMatchObject({ code: 73, stderr: expect.stringContaining("session_in_use") });

  client.send({ type: "message", text: "again", id: "m2" });
  await client.until("notice", { fits: ({ code }) => code === "log_repaired" });
  await client.until("done", { fits: ({ messages }) => (messages as string[]).includes("m2") });
  await host.end("SIGTERM");
  const third = startSession(home, file, "--resume", session_id);
  expect(await third.ready).toMatchObject({ log_id });
  await third.end("SIGTERM");
});

test("a home in which no directory can be created is an error, and the start ends", async () => {
  const home = newHome();
  const args = ["--cwd", home.cwd];
  const { code, stderr } = await startAgentSocket(home, args, { HOME: "/proc", XDG_STATE_HOME: "" })
    .ended;
  expect({ code, stderr }).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("/proc/.local"),
  });
});
