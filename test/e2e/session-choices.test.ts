import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rehearsalEnvironment } from "../../src/rehearsal/rehearsal-environment.ts";
import type { ScriptInput } from "../../src/rehearsal/script-schema.ts";
import { startRehearsal } from "../../src/rehearsal/start-rehearsal.ts";
import type { AgentSocket, Home } from "../support/agent-socket-process.ts";
import { newHome, startAgentSocket } from "../support/agent-socket-process.ts";
import { SessionLineClient } from "../support/session-line-client.ts";
import type { Line } from "../support/session-line-client.ts";
import { smallMcpServer } from "../support/small-mcp-server.ts";
import { cliPidOf } from "../support/stage-processes.ts";

async function setUp(script: (home: Home) => ScriptInput) {
  const home = newHome();
  const rehearsal = await startRehearsal({ script: script(home) });
  onTestFinished(() => rehearsal.close());
  const configDir = join(home.root, "claude");
  const env = { ...rehearsalEnvironment(rehearsal.url), CLAUDE_CONFIG_DIR: configDir };
  const start = (...flags: string[]): AgentSocket =>
    startAgentSocket(home, ["--cwd", home.cwd, ...flags], env);
  const cliPid = (): number => cliPidOf({ configDir });
  return { home, configDir, start, cliPid };
}

/** The small server runs, and no other. */
const isSmall = (line: Line): boolean =>
  JSON.stringify(line["servers"] ?? line["mcp_servers"]) ===
  JSON.stringify([{ name: "small", status: "connected", tools: ["weigh"] }]);

const namesIn = (line: Line, list: string, key: string): unknown[] =>
  ((line[list] ?? []) as Record<string, unknown>[]).map((item) => item[key]);

test("[SES-63] [SES-64] [SES-67] a session lists models, modes and commands, completes files, and takes in added directories", async () => {
  const { home, configDir, start } = await setUp(({ root }) => ({
    rules: [
      {
        when: { user: "look" },
        tools: [{ name: "Read", input: { file_path: `${root}/lib/a.txt` } }],
      },
      { text: "I see." },
    ],
  }));
  const lib = join(home.root, "lib");
  mkdirSync(lib);
  mkdirSync(join(configDir, "skills"), { recursive: true });
  writeFileSync(join(lib, "a.txt"), "from the library");
  writeFileSync(join(home.cwd, "apple.txt"), "");
  const observe = join(home.root, "observe.sock");
  const host = start("--add-dir", lib, "--observe-socket", observe);
  const client = await host.connect();

  // [SES-63]
  const isUp = (line: Line): boolean => namesIn(line, "models", "id").includes("sonnet");
  await expect.poll(() => client.told.some(isUp), { timeout: 60_000 }).toBe(true);
  const status = await client.ask({ type: "status" });
  expect(status).toMatchObject({
    models: expect.arrayContaining([
      expect.objectContaining({ id: "sonnet", efforts: expect.arrayContaining(["low", "high"]) }),
    ]),
    modes: expect.arrayContaining(["default", "acceptEdits", "plan"]),
    added_directories: [lib],
  });
  expect(status["modes"]).not.toContain("bypassPermissions");
  expect(namesIn(status, "slash_commands", "name")).toContain("compact");

  // [SES-67] A file in an added directory is read without a question.
  client.send({ type: "message", id: "m1", text: "look" });
  await client.until("done", { withinMs: 60_000 });
  const read = await client.until("tool_result");
  expect(read).toMatchObject({ is_error: false });
  expect(String(read["output"])).toContain("from the library");
  expect(client.told.some(({ type }) => type === "approval_request")).toBe(false);

  // Claude Code finds a new skill.
  const since = client.told.length;
  mkdirSync(join(configDir, "skills/weigh-it"));
  writeFileSync(
    join(configDir, "skills/weigh-it/SKILL.md"),
    "---\nname: weigh-it\ndescription: weighs it\n---\nWeigh it.",
  );
  const hasSkill = (line: Line): boolean =>
    namesIn(line, "slash_commands", "name").includes("weigh-it");
  expect(await client.until("choices", { since, fits: hasSkill, withinMs: 30_000 })).toMatchObject({
    models: status["models"],
  });
  const watcher = new SessionLineClient(observe);
  expect(hasSkill(await watcher.until("init"))).toBe(true);

  // [SES-64]
  expect(await client.ask({ type: "complete", kind: "file", prefix: "a" })).toMatchObject({
    type: "completions",
    items: [
      { path: "apple.txt", kind: "file" },
      { path: join(lib, "a.txt"), kind: "file" },
    ],
    more: false,
  });
  const complete = { type: "complete", kind: "file", prefix: "../lib/" };
  expect(await client.ask(complete)).toMatchObject({ items: [], more: false });
  expect(await watcher.ask(complete)).toMatchObject({ type: "error", code: "read_only" });
  expect(await client.ask({ ...complete, kind: "person" })).toMatchObject({
    code: "invalid_params",
  });
});

test("[SES-65] [SES-66] title and set servers survive the death of CLI and host, and keys stand in no event and no argument", async () => {
  const { home, configDir, start, cliPid } = await setUp(() => ({ rules: [{ text: "I see." }] }));
  const observe = join(home.root, "observe.sock");
  const first = start("--observe-socket", observe);
  const { session_id, log } = await first.ready;
  const one = await first.connect();
  const watcher = new SessionLineClient(observe);

  // [SES-65]
  one.send({ type: "attach", since: 0, client: "ann" });
  expect(await watcher.ask({ type: "rename", title: "No" })).toMatchObject({ code: "read_only" });
  expect(await one.ask({ type: "rename", title: "two\nlines" })).toMatchObject({
    code: "invalid_params",
  });
  expect(await one.ask({ type: "rename", title: "The parser" })).toMatchObject({ type: "ok" });
  expect(await watcher.until("title_changed")).toMatchObject({ title: "The parser", by: "ann" });

  // [SES-66]
  const small = { ...smallMcpServer(home.root), env: { KEY: "s3cret-key" } };
  const bad = { command: "/no/such/server" };
  const set = { type: "set_mcp_servers", servers: { small, bad } };
  expect(await watcher.ask(set)).toMatchObject({ code: "read_only" });
  expect(await one.ask({ ...set, servers: { small: {} } })).toMatchObject({
    code: "invalid_params",
  });
  expect(await one.ask(set)).toMatchObject({
    type: "ok",
    servers: [
      { name: "small", outcome: "added" },
      { name: "bad", outcome: "failed", error: expect.stringContaining("/no/such/server") },
    ],
  });
  expect(await watcher.until("mcp_servers_set")).toMatchObject({
    servers: ["small", "bad"],
    by: "ann",
  });
  await one.ask({ type: "set_mcp_servers", servers: { small } });
  await one.until("mcp_status", { fits: isSmall, withinMs: 30_000 });

  // The CLI dies, and then the host, before anything was said.
  const pid = cliPid();
  expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain("s3cret-key");
  const since = one.told.length;
  process.kill(pid, "SIGKILL");
  await one.until("notice", { since, fits: ({ code }) => code === "cli_restarted" });
  await one.until("mcp_status", { since, fits: isSmall, withinMs: 60_000 });
  await first.end("SIGKILL");
  const holders = readdirSync(log).filter(
    (name) =>
      statSync(join(log, name)).isFile() &&
      readFileSync(join(log, name), "utf8").includes("s3cret-key"),
  );
  expect(holders).toEqual(["set-mcp-servers.json"]);
  expect(statSync(join(log, "set-mcp-servers.json")).mode & 0o777).toBe(0o600);

  const second = start("--resume", session_id);
  const two = await second.connect();
  expect(two.told[0]).toMatchObject({ title: "The parser" });
  expect(cliPid()).not.toBe(pid);
  two.send({ type: "attach", since: 0 }, { type: "message", id: "m1", text: "hello" });
  await two.until("done", { withinMs: 60_000 });
  expect(isSmall(await two.ask({ type: "status" }))).toBe(true);
  expect(await two.ask({ type: "set_mcp_servers", servers: {} })).toMatchObject({
    servers: [{ name: "small", outcome: "removed" }],
  });
  await expect
    .poll(async () => (await two.ask({ type: "status" }))["mcp_servers"] ?? [])
    .toEqual([]);
  await second.end("SIGTERM");
  const listed = await startAgentSocket(home, ["list", "--json"], { CLAUDE_CONFIG_DIR: configDir })
    .ended;
  expect(JSON.parse(listed.stdout)).toMatchObject({ session_id, title: "The parser" });
});
