import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import type { Home } from "../support/agent-socket-process.ts";
import { newHome, startSession, writeScript } from "../support/agent-socket-process.ts";
import type { SessionLineClient } from "../support/session-line-client.ts";
import { isRunning, processesWith, variablesOf } from "./fixtures/proc-list.ts";

const script = `
rules:
  - when: { user: think }
    text: Hm.
    delay_ms: 60000
default: { text: I am here. }
`;

/** The real CLI, below a shell that obeys neither the end of its input nor SIGTERM. */
function stubbornCli({ root }: Home): string {
  const path = join(root, "stubborn-claude");
  writeFileSync(
    path,
    `#!/bin/bash
[ "$1" = --version ] && exec "${locateCli()}" --version
trap '' TERM INT HUP
"${locateCli()}" "$@"
while :; do sleep 60; done
`,
  );
  chmodSync(path, 0o755);
  return path;
}

/** Code that runs in the host before anything else. */
function plant(home: Home, code: string): void {
  const file = join(home.root, "planted.cjs");
  writeFileSync(file, code);
  home.env["NODE_OPTIONS"] = `--require ${file}`;
}

const socketOf = ({ root }: Home): string => join(root, "my.sock");

test.each([
  ["at rest", undefined],
  ["in a turn", "think"],
])(
  "[SES-27] a Claude Code that does not end when it is asked to, %s, is killed, and the session ends in order",
  { timeout: 60_000 },
  async (_when, text) => {
    const home = newHome();
    const cli = stubbornCli(home);
    const flags = ["--socket", socketOf(home), "--claude-path", cli];
    const host = startSession(home, writeScript(home, script), ...flags);
    const client = await host.connect();
    await expect.poll(() => processesWith(cli)).not.toEqual([]);
    if (text !== undefined) {
      client.send({ type: "message", text });
      await client.until("turn_started");
    }
    const { code } = await host.end("SIGTERM");
    await client.ended;
    expect([code, client.told.at(-1)]).toMatchObject([0, { type: "closing", reason: "signal" }]);
    expect(existsSync(socketOf(home))).toBe(false);
    expect(processesWith(cli)).toEqual([]);
  },
);

/** What a session is in the middle of when the signal comes. */
const moments: [name: string, get: (client: SessionLineClient, home: Home) => Promise<unknown>][] =
  [
    [
      "the end of a turn",
      async (client) => {
        client.send({ type: "message", text: "hello" });
        await client.until("done");
      },
    ],
    [
      "the start of the next Claude Code",
      async (client, home) => {
        process.kill(await cliOf(home), "SIGKILL");
        await client.until("notice", { fits: ({ code }) => code === "cli_restarted" });
      },
    ],
    [
      "the wait before the next Claude Code",
      async (client, home) => {
        for (const deaths of [1, 2]) {
          process.kill(await cliOf(home), "SIGKILL");
          const restarts = () => client.events.filter(({ code }) => code === "cli_restarted");
          await expect.poll(restarts, { timeout: 30_000 }).toHaveLength(deaths);
        }
      },
    ],
    [
      "a change of the MCP servers, one of which never starts, and of the model",
      async (client) => {
        const silent = { command: "sleep", args: ["600"] };
        client.send(
          { type: "set_mcp_servers", servers: { silent } },
          { type: "set_model", model: "haiku" },
        );
        await client.until("mcp_servers_set");
      },
    ],
    [
      "an abort that Claude Code does not obey",
      async (client, home) => {
        client.send({ type: "message", text: "think" });
        await client.until("turn_started");
        process.kill(await cliOf(home), "SIGSTOP");
        client.send({ type: "abort" });
      },
    ],
  ];

/** The CLI of the home's session. */
async function cliOf({ root }: Home): Promise<number> {
  let pid: number | undefined;
  const look = (): number | undefined => {
    const found = processesWith("--input-format").filter(({ pid: each }) => isOf(each, root));
    return (pid = found[0]?.pid);
  };
  await expect.poll(look, { timeout: 30_000 }).toBeDefined();
  return pid ?? 0;
}

function isOf(pid: number, root: string): boolean {
  try {
    return variablesOf(pid).includes(`HOME=${root}`);
  } catch {
    return false;
  }
}

test.each(moments)(
  "[SES-27] SIGTERM at %s ends the session in order",
  { timeout: 90_000 },
  async (_name, get) => {
    const home = newHome();
    const host = startSession(home, writeScript(home, script), "--socket", socketOf(home));
    const client = await host.connect();
    await get(client, home);
    const { code } = await host.end("SIGTERM");
    await client.ended;
    expect([code, client.told.at(-1)]).toMatchObject([0, { type: "closing", reason: "signal" }]);
    expect(existsSync(socketOf(home))).toBe(false);
  },
);

test("[SES-27] a disk that answers no more does not keep the session from ending", async () => {
  const home = newHome();
  const gate = join(home.root, "disk-hangs");
  plant(
    home,
    `const fs = require("node:fs");
     const { fdatasync } = fs;
     fs.fdatasync = (fd, done) => fs.existsSync(${JSON.stringify(gate)}) || fdatasync(fd, done);
     require("node:module").syncBuiltinESMExports();`,
  );
  const host = startSession(home, writeScript(home, script), "--socket", socketOf(home));
  const client = await host.connect();
  client.send({ type: "message", text: "hello" });
  await client.until("done");
  writeFileSync(gate, "");
  expect((await host.end("SIGTERM")).code).toBe(0);
  expect(existsSync(socketOf(home))).toBe(false);
});

test("[SES-27] what still waits in the process does not keep it once the session has ended", async () => {
  const home = newHome();
  plant(home, `if (process.argv[1].endsWith("agent-socket.js")) setInterval(() => {}, 1000);`);
  const host = startSession(home, writeScript(home, script), "--socket", socketOf(home));
  const client = await host.connect();
  client.send({ type: "shutdown" });
  const { code, stderr } = await host.ended;
  expect(client.told.at(-1)).toMatchObject({ type: "closing", reason: "shutdown" });
  expect([code, stderr]).toEqual([0, expect.stringContaining("something kept the process")]);
  expect(existsSync(socketOf(home))).toBe(false);
});

test("[SES-27] a start that does not come to an end is given up after a signal, and leaves nothing", async () => {
  const home = newHome();
  // Its reader waits for a writer.
  const fifo = join(home.root, "script.yaml");
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", fifo]);
  const host = startSession(home, fifo, "--socket", socketOf(home));
  const rehearsal = () => processesWith(fifo).filter(({ pid }) => pid !== host.child.pid);
  await expect.poll(rehearsal, { timeout: 30_000 }).not.toEqual([]);
  const { code, stderr } = await host.end("SIGTERM");
  expect([code, stderr]).toEqual([130, expect.stringContaining("came during the start")]);
  expect(existsSync(socketOf(home))).toBe(false);
  await expect.poll(() => rehearsal().some(({ pid }) => isRunning(pid))).toBe(false);
});
