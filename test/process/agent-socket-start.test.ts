import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundledVersion } from "../../src/engine/locate-cli.ts";
import { WireErrorSchema } from "../../src/wire/error-schema.ts";
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
    "[SES-67] an added directory that is not there",
    (cwd) => ["--cwd", cwd, "--add-dir", cwd, "--add-dir", join(cwd, "no")],
    64,
    "invalid_params",
    "no of --add-dir",
  ],
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
])(
  "[SES-28] a start that is impossible fails with the reason: %s",
  async (_, args, exit, code, words) => {
    const place = home();
    const {
      stdout,
      stderr,
      code: status,
    } = await startAgentSocket(place, [...args(place.cwd), "--log-level", "silent", "--json"])
      .ended;
    const error = WireErrorSchema.parse(JSON.parse(stderr));
    expect([error.code, status, stdout]).toEqual([code, exit, ""]);
    expect(error.message).toContain(words);
  },
);

test("agent-socket list marks a rehearsed session as a rehearsal", async () => {
  const place = home();
  const script = writeScript(place, "default: { text: hi }");
  const host = startAgentSocket(place, ["--cwd", place.cwd, "--rehearsal", script]);
  const { session_id } = await host.ready;
  const listed = await startAgentSocket(place, ["list"]).ended;
  expect(listed.stdout).toContain(`${session_id}  runs as ${host.child.pid}  (a rehearsal)\n`);
  const told = JSON.parse((await startAgentSocket(place, ["list", "--json"]).ended).stdout);
  expect(told).toMatchObject({ session_id, rehearsal: true });
});

test.each([
  ["the version that comes with this package", bundledVersion(), ["proven", false]],
  ["a version that takes servers from a file only", "2.1.300", ["untested", true]],
])(
  "every flag reaches %s, and no secret is among its arguments",
  async (_name, version, [support, hasFile]) => {
    const place = home();
    const record = join(place.root, "arguments");
    // A CLI that writes down how it was called, and ends.
    const cli = join(place.root, "claude");
    writeFileSync(
      cli,
      `#!/bin/sh\nif [ "$1" = --version ]; then echo "${version} (Claude Code)"; exit 0; fi\n` +
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
      "--tools": "Read,Bash,Edit",
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
    expect(args).toMatch(/--tools[=\n]Read,Bash,Edit\n/);
    expect(args).toMatch(/--allowedTools[=\n]Read,Bash\(git add:\*\)\n/);
    expect(args).toMatch(/--disallowedTools=.*Edit/);
    expect(args).toContain("--setting-sources=user\n");
    expect(args).toContain(settings);
    expect(args.includes("mcp.json")).toBe(hasFile);
    expect(args).not.toContain("secret-word");
    expect(await host.ready).toMatchObject({ cli_version: version, cli_support: support });
    expect(client.told[0]).toMatchObject({ cli_version: version, cli_support: support });
    const { stderr } = await host.end("SIGTERM");
    // Warnings of Node and the SDK do not stand among the logs.
    expect(stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{"))).toEqual([]);
    const untested = stderr.includes("this version of Claude Code is not proven");
    expect(untested).toBe(support === "untested");
  },
);

test("a CLI that is too old is refused with what to do, and one that is silent about its version is tried", async () => {
  const place = home();
  const cli = join(place.root, "claude");
  const start = (version: string) => {
    const words = `#!/bin/sh\nif [ "$1" = --version ]; then echo "${version}"; exit 0; fi\nexit 3\n`;
    writeFileSync(cli, words, { mode: 0o755 });
    const script = writeScript(place, "name: none\ndefault: { text: hi }");
    return startAgentSocket(place, [
      "--cwd",
      place.cwd,
      "--claude-path",
      cli,
      "--rehearsal",
      script,
    ]);
  };
  const { code, stderr } = await start("2.1.205 (Claude Code)").ended;
  expect(code).toBe(69);
  expect(stderr).toContain(`Claude Code 2.1.205 at ${cli} is too old: 2.1.206 is the oldest`);
  expect(stderr).toContain("omit --claude-path");

  const silent = start("no number");
  expect(await silent.ready).toMatchObject({ cli_support: "unknown" });
  const client = await silent.connect();
  client.send({ type: "attach", since: 0 });
  await client.until("notice", { fits: (line) => line["code"] === "cli_untested" });
  await silent.end("SIGTERM");
});

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
