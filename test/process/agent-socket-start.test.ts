import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { WireErrorSchema } from "../../src/wire/error-wire.ts";
import { newHome, startAgentSocket, writeScript } from "../support/agent-socket-process.ts";

const home = (): ReturnType<typeof newHome> => newHome();

test.each<[string, (cwd: string) => string[], number, string, string]>([
  ["no directory", () => [], 64, "invalid_params", "--cwd"],
  ["a directory that is not there", (cwd) => ["--cwd", join(cwd, "no")], 66, "cwd_not_found", "no"],
  [
    "an unknown session",
    (cwd) => ["--cwd", cwd, "--resume", "0b5f8f0e-6a4e-4f0e-9d35-1a2b3c4d5e6f"],
    66,
    "session_not_found",
    "0b5f8f0e",
  ],
  [
    "nothing to continue",
    (cwd) => ["--cwd", cwd, "--continue"],
    66,
    "session_not_found",
    "no session in",
  ],
  ["nothing to fork", (cwd) => ["--cwd", cwd, "--fork"], 64, "invalid_params", "--fork"],
  [
    "an MCP config that is not there",
    (cwd) => ["--cwd", cwd, "--mcp-config", join(cwd, "no.json")],
    64,
    "invalid_params",
    "no.json",
  ],
  [
    "settings that are not there",
    (cwd) => ["--cwd", cwd, "--settings", join(cwd, "no.json")],
    64,
    "invalid_params",
    "--settings",
  ],
  [
    "a prompt file that is not there",
    (cwd) => ["--cwd", cwd, "--append-system-prompt-file", join(cwd, "no.md")],
    64,
    "invalid_params",
    "no.md",
  ],
  [
    "a script that is not there",
    (cwd) => ["--cwd", cwd, "--rehearsal", join(cwd, "no.yaml")],
    65,
    "script_invalid",
    "no.yaml",
  ],
  [
    "a CLI that is not there",
    (cwd) => ["--cwd", cwd, "--claude-path", join(cwd, "no")],
    69,
    "cli_not_found",
    "no",
  ],
  [
    "a socket path that is too long",
    (cwd) => ["--cwd", cwd, "--socket", join(cwd, "x".repeat(120))],
    73,
    "socket_path_invalid",
    "xxx",
  ],
  [
    "a socket in a directory that is not there",
    (cwd) => ["--cwd", cwd, "--socket", join(cwd, "no", "x.sock")],
    73,
    "socket_path_invalid",
    "there is no directory",
  ],
])("[SES-28] a start that cannot be says why: %s", async (_, args, exit, code, words) => {
  const place = home();
  const {
    stdout,
    stderr,
    code: status,
  } = await startAgentSocket(place, [...args(place.cwd), "--log-level", "silent", "--json"]).ended;
  const error = WireErrorSchema.parse(JSON.parse(stderr));
  expect([error.code, status, stdout]).toEqual([code, exit, ""]);
  expect(error.message).toContain(words);
});

test("a rehearsal that runs is listed as one", async () => {
  const place = home();
  const script = writeScript(place, "default: { text: hi }");
  const host = startAgentSocket(place, ["--cwd", place.cwd, "--rehearsal", script]);
  const { session_id } = await host.ready;
  const listed = await startAgentSocket(place, ["list"]).ended;
  expect(listed.stdout).toContain(`${session_id}  runs as ${host.child.pid}  (a rehearsal)\n`);
  const told = JSON.parse((await startAgentSocket(place, ["list", "--json"]).ended).stdout);
  expect(told).toMatchObject({ session_id, rehearsal: true });
});

test("every flag reaches the CLI, and no secret is among its arguments", async () => {
  const place = home();
  const record = join(place.root, "arguments");
  // A CLI that writes down how it was called, and ends.
  const cli = join(place.root, "claude");
  writeFileSync(
    cli,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi\n` +
      `printf '%s\\n' "$@" > ${record}.new && mv ${record}.new ${record}\nexit 3\n`,
    { mode: 0o755 },
  );
  const mcp = join(place.root, "mcp.json");
  writeFileSync(
    mcp,
    '{"mcpServers":{"my":{"type":"http","url":"http://127.0.0.1:9/","headers":{"Authorization":"Bearer secret-word"}}}}',
  );
  const [settings, prompt] = [join(place.root, "s.json"), join(place.root, "prompt.md")];
  writeFileSync(settings, '{"permissions":{"defaultMode":"plan"}}');
  writeFileSync(prompt, "from a file");
  const flags = {
    "--cwd": place.cwd,
    "--claude-path": cli,
    "--mcp-config": mcp,
    "--settings": settings,
    "--model": "opus",
    "--allowed-tools": "Read,Bash(git add:*)",
    "--disallowed-tools": "Edit",
    "--max-turns": "7",
    "--max-budget-usd": "1.5",
    "--append-system-prompt": "from a flag",
    "--append-system-prompt-file": prompt,
    "--rehearsal": writeScript(place, "name: none\ndefault: { text: hi }"),
  };
  const host = startAgentSocket(place, Object.entries(flags).flat());
  const client = await host.connect();
  expect(client.told[0]).toMatchObject({ mode: "plan" });
  await expect.poll(() => read(record), { timeout: 30_000 }).toContain("--model");
  const args = read(record);
  expect(args).toContain("--model=opus\n");
  expect(args).toContain("--permission-mode=plan\n");
  expect(args).toContain("--max-turns=7\n");
  expect(args).toContain("--max-budget-usd=1.5\n");
  expect(args).toContain("--allowedTools=Read,Bash(git add:*)\n");
  expect(args).toMatch(/--disallowedTools=.*Edit/);
  expect(args).toContain("--setting-sources=user\n");
  expect(args).toContain(settings);
  expect(args).toContain("mcp.json");
  expect(args).not.toContain("secret-word");
  await host.end("SIGTERM");
});

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
