import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { bundledVersion, locateCli } from "../../src/engine/locate-cli.ts";
import type { CaseReport, ProofReport } from "../../src/prove/proof-report.ts";
import { processesWith } from "../../src/prove/process-list.ts";
import { tempDir } from "../support/temp-dir.ts";

const bin = resolve(import.meta.dirname, "../../bin/switchboard.js");

/** The host is killed in it, and another one takes the session up. */
const asked = "host-killed-while-asked-full";

/** Each starts a few sessions, which a busy machine is slow at. */
const SLOW_MS = 300_000;

/** The command in a temp directory of its own, which must be empty afterwards. */
function startProof(...flags: string[]) {
  const temp = tempDir();
  const env = { ...process.env, TMPDIR: temp };
  const child: ChildProcess = spawn(process.execPath, [bin, "prove", ...flags], { env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [out, err] = [text(child.stdout!), text(child.stderr!)];
  const ended = once(child, "exit").then(async ([code]) => ({
    code: code as number | null,
    out: await out,
    err: await err,
  }));
  const left = (): (string | number)[] => [
    // Node's own cache belongs to no session.
    ...readdirSync(temp).filter((name) => name !== "node-compile-cache"),
    ...processesWith(temp).filter((pid) => pid !== child.pid),
  ];
  return { child, ended, left };
}

/** Our CLI behind a script, which sees every start of it first. */
function wrapCli(lines: string): string {
  const file = join(tempDir(), "claude");
  writeFileSync(file, `#!/bin/bash\n${lines}\nexec '${locateCli()}' "$@"\n`, { mode: 0o755 });
  return file;
}

const linesOf = (out: string): (CaseReport | ProofReport)[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as CaseReport | ProofReport);

test(
  "prove passes the cases that were named on our own CLI, says so in JSON, and leaves nothing",
  async () => {
    const proof = startProof("--only", "message", asked, "--json");
    const { code, out } = await proof.ended;
    const [first, second, report] = linesOf(out);
    expect(first).toMatchObject({ type: "case", name: "message", outcome: "passed", faults: [] });
    expect(second).toMatchObject({ type: "case", name: asked, outcome: "passed", faults: [] });
    expect(report).toMatchObject({
      type: "report",
      cli: { path: locateCli(), version: bundledVersion(), kind: "proven" },
      passed: 2,
      failed: 0,
      // Two cases are not all of them.
      proven: false,
    });
    expect(code).toBe(0);
    expect(proof.left()).toEqual([]);
  },
  SLOW_MS,
);

test(
  "prove reports the case that fails on a CLI that cannot resume, with its error, and exits with 76",
  async () => {
    const cli = wrapCli(`case " $* " in *" --resume"*) echo "I cannot resume" >&2; exit 3;; esac`);
    const keep = tempDir();
    const only = ["--only", "message", "stop-and-resume"];
    const proof = startProof("--claude-path", cli, "--keep", keep, ...only);
    const { code, out, err } = await proof.ended;
    expect(out).toMatch(/1\/2 ✓ A message is answered/);
    expect(out).toMatch(/2\/2 ✗ A session that was ended .* goes on/);
    expect(out).toContain("I cannot resume");
    expect(out).toContain("1 passed, 1 failed");
    expect(err).toContain("(proof_failed)");
    expect(code).toBe(76);
    expect(readdirSync(keep)).toEqual(["stop-and-resume"]);
    expect(readdirSync(join(keep, "stop-and-resume"))).toContain("requests.jsonl");
    expect(proof.left()).toEqual([]);
  },
  SLOW_MS,
);

test(
  "prove finds that a CLI takes up a cut turn without its system prompt, and says in which request",
  async () => {
    const cli = wrapCli(
      `for each in "$@"; do shift; [ "$each" = --await-initialize ] || set -- "$@" "$each"; done`,
    );
    const only = ["--only", "cli-killed-while-speaking", "--json"];
    const proof = startProof("--claude-path", cli, ...only);
    const { code, out } = await proof.ended;
    expect(linesOf(out)).toMatchObject([
      { name: "cli-killed-while-speaking", outcome: "failed", faults: [withoutPersona] },
      { type: "report", failed: 1, advice: expect.stringContaining("exceptions") },
    ]);
    expect(code).toBe(76);
  },
  SLOW_MS,
);

const withoutPersona = "1 of 3 requests to the model lack the appended system prompt: number 2.";

test(
  "prove runs no other case when a CLI does not answer at all",
  async () => {
    const cli = wrapCli(`[ "$1" = --version ] || exit 3`);
    const proof = startProof("--claude-path", cli, "--only", "message", "clear", "--json");
    const { code, out } = await proof.ended;
    expect(linesOf(out)).toMatchObject([
      { name: "message", outcome: "failed" },
      { name: "clear", outcome: "not_run" },
      { type: "report", failed: 1, not_run: 1 },
    ]);
    expect(code).toBe(76);
  },
  SLOW_MS,
);

test("prove exits with 69 for a missing, versionless or old CLI, and with 64 for an unknown case", async () => {
  const [mute, old] = ["exit 0", "echo '2.1.205 (Claude Code)'; exit 0"].map(wrapCli);
  const [absent, silent, aged, wrong] = await Promise.all([
    startProof("--claude-path", "/nowhere/claude").ended,
    startProof("--claude-path", mute ?? "").ended,
    startProof("--claude-path", old ?? "", "--json").ended,
    startProof("--only", "no-such-case").ended,
  ]);
  expect(absent).toMatchObject({ code: 69, err: expect.stringContaining("(cli_not_found)") });
  expect(silent).toMatchObject({ code: 69, err: expect.stringContaining("prints no version") });
  expect(aged.code).toBe(69);
  expect(JSON.parse(aged.err)).toMatchObject({
    code: "cli_too_old",
    message: expect.stringContaining("2.1.206 is the oldest that works"),
    data: { cli_version: "2.1.205", oldest: "2.1.206" },
  });
  expect(wrong).toMatchObject({ code: 64, err: expect.stringContaining("no-such-case") });
});

test(
  "prove that is interrupted in the middle of a case ends everything and exits with 130",
  async () => {
    const proof = startProof("--only", "message", "priorities");
    await once(proof.child.stdout!, "data");
    // The first case has been told, so that the second one is being played.
    await expect.poll(() => proof.left().length, { timeout: 60_000 }).toBeGreaterThan(2);
    proof.child.kill("SIGINT");
    const { code, err } = await proof.ended;
    expect(err).toContain("The proof was interrupted");
    expect(code).toBe(130);
    expect(proof.left()).toEqual([]);
  },
  SLOW_MS,
);
