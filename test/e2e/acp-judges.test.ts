import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { installPeers } from "../../bench/peer-packages.ts";
import { newHome, writeScript } from "../support/agent-socket-process.ts";
import { tempDir } from "../support/temp-dir.ts";

// Clients that other people wrote, with the built program and the real CLI on a rehearsal. Where their packages cannot be had,
// a test is skipped with a line that says so; in CI it fails.

const run = promisify(execFile);
const bin = resolve(import.meta.dirname, "../../bin/agent-socket.js");
const fixtures = resolve(import.meta.dirname, "../fixtures/acp");
const PYTHON_CLIENT = "agent-client-protocol==0.12.1";

const script = `
rules:
  - when: { user: "write a note" }
    thinking: "I think."
    text: "I write it."
    tools:
      - { name: Write, input: { file_path: "note.txt", content: "milk\\n" } }
  - when: { user: "talk long" }
    text: "${"many words ".repeat(300)}"
    delta_delay_ms: 20
  - when: { tool_result: Write }
    text: "It stands there."
default: { text: "Hello." }
`;

/** In CI a judge that cannot be had is a failure. */
function absent(what: string, why: string, skip: (note: string) => void): void {
  const note = `${what} could not be installed: ${why}`;
  if (process.env["CI"] === "true") throw new Error(note);
  process.stderr.write(`\n${note}\n`);
  skip(note);
}

test(
  "the official Python client takes everything that `agent-socket acp` says",
  { timeout: 240_000 },
  async ({ skip }) => {
    const home = newHome();
    const venv = join(tempDir(), "venv");
    const python = join(venv, "bin/python");
    try {
      await run("python3", ["-m", "venv", venv], { timeout: 60_000 });
      const install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--retries",
        "1",
      ];
      await run(python, [...install, PYTHON_CLIENT], { timeout: 120_000 });
    } catch (error) {
      return absent(PYTHON_CLIENT, (error as Error).message.slice(0, 300), skip);
    }
    const flags = ["--rehearsal", writeScript(home, script), "--linger-ms", "1500"];
    const face = [process.execPath, bin, "acp", ...flags];
    const { stdout, stderr } = await run(python, [join(fixtures, "judge.py"), home.cwd, ...face], {
      env: home.env,
      timeout: 120_000,
    });
    expect(stderr).not.toMatch(/Traceback|ValidationError/);
    expect(JSON.parse(stdout)).toEqual({
      protocol: 1,
      first: "end_turn",
      cancelled: "cancelled",
      asked: [expect.arrayContaining(["allow_once", "allow_always", "reject_once"])],
      listed: [true],
      unknown: -32002,
      replayed: true,
      kinds: expect.arrayContaining([
        "AgentMessageChunk",
        "AgentThoughtChunk",
        "AvailableCommandsUpdate",
        "ToolCallProgress",
        "ToolCallStart",
        "UsageUpdate",
        "UserMessageChunk",
      ]),
      problems: [],
    });
    expect(readFileSync(join(home.cwd, "note.txt"), "utf8")).toBe("milk\n");
  },
);

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { result?: { stopReason?: string } });

test(
  "`acpx` runs a task with `agent-socket acp`, allowed and denied",
  { timeout: 300_000 },
  async ({ skip }) => {
    const peers = await installPeers(join(fixtures, "acpx"));
    if (!peers.isThere("acpx")) return absent(peers.titleOf("acpx"), peers.failure, skip);
    const acpx = join(fixtures, "acpx/node_modules/.bin/acpx");
    const home = newHome();
    const flags = `--rehearsal ${writeScript(home, script)} --linger-ms 1500`;
    const agent = ["--agent", `${process.execPath} ${bin} acp ${flags}`];
    const common = [...agent, "--cwd", home.cwd, "--format", "json"];
    const start = (decision: string, words: string) =>
      // Its own program asks for the Node that is first in PATH.
      run(process.execPath, [acpx, ...common, decision, "exec", words], {
        env: home.env,
        timeout: 120_000,
      });

    const denied = await start("--deny-all", "write a note").catch(
      (error: { stdout: string }) => error,
    );
    expect(existsSync(join(home.cwd, "note.txt"))).toBe(false);
    expect(linesOf(denied.stdout).some(({ result }) => result?.stopReason !== undefined)).toBe(
      true,
    );
    const { stdout } = await start("--approve-all", "write a note");
    expect(readFileSync(join(home.cwd, "note.txt"), "utf8")).toBe("milk\n");
    expect(linesOf(stdout)).toContainEqual(
      expect.objectContaining({ result: { stopReason: "end_turn" } }),
    );
  },
);
