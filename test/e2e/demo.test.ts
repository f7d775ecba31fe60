import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { ask } from "../support/gateway-stage.ts";
import { processesOf } from "../support/stage-processes.ts";
import { tempDir } from "../support/temp-dir.ts";

/** What `npm start` runs once the program is built, as it was before the tests; without a terminal, and without a person's files. */
test(
  "npm start shows five agents that write and test a program, answer, and leave nothing behind",
  {
    timeout: 300_000,
  },
  async () => {
    const [notice, build, start = ""] = manifest.scripts.start.split(" && ");
    expect(notice).toMatch(/^echo Building/);
    expect([build, start]).toEqual(["npm run --silent build", expect.stringMatching(/^node /)]);
    const place = tempDir();
    const demo = spawn(process.execPath, start.split(" ").slice(1), {
      cwd: resolve(import.meta.dirname, "../.."),
      env: { PATH: process.env["PATH"], HOME: place, TMPDIR: place },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err] = await Promise.all([
      text(demo.stdout),
      text(demo.stderr),
      once(demo, "exit"),
    ]);
    expect({ err, code: demo.exitCode }).toEqual({ err: "", code: 0 });
    expect(out).toContain("The model is rehearsed");
    expect(out).toMatch(/Watch them in the browser: http:\/\/127\.0\.0\.1:\d+\/#enter=/);
    expect(out).toMatch(/The lead's answer to you: .+2 tests passed, none failed\./);
    expect(out).toContain("allowed by policy 3: allow Write($WORKDIR/*)");
    // A call that the policy decides is not asked about.
    expect(out).not.toMatch(/\? Write|waiting/);
    expect(out).toContain(
      "Files that they wrote, in a directory that goes with the demo: greet.mjs, greet.test.mjs",
    );
    expect(missingFrom(out)).toEqual([]);
    // No terminal: no colours.
    expect(out).not.toContain("\u001B[");
    await expect.poll(() => processesOf({ configDir: place }), { timeout: 20_000 }).toEqual([]);
    const left = readdirSync(place, { encoding: "utf8", recursive: true });
    expect(left.filter((name) => name.startsWith("switchboard"))).toEqual([]);
  },
);

test(
  "on a terminal the demo leaves the team and its page there until Ctrl+C",
  { timeout: 300_000 },
  async () => {
    const place = tempDir();
    const program = resolve(import.meta.dirname, "../../bin/switchboard.js");
    const start = (command: string, ...args: string[]) =>
      spawn(command, args, {
        env: { PATH: process.env["PATH"], HOME: place, TMPDIR: place },
        stdio: ["pipe", "pipe", "inherit"],
      });
    const terminal = resolve(import.meta.dirname, "../support/on-terminal.py");
    const demo = start("python3", terminal, "300", "50", process.execPath, program, "demo");
    onTestFinished(() => void demo.kill("SIGTERM"));
    let out = "";
    demo.stdout.on("data", (chunk) => (out += String(chunk)));
    const stays = /The team stays\..* (switchboard status --state-dir \S+)/;
    await expect.poll(() => out, { timeout: 200_000 }).toMatch(stays);
    const [, command = ""] = stays.exec(out) ?? [];
    const status = start(process.execPath, program, ...command.split(" ").slice(1));
    expect(await text(status.stdout)).toMatch(/^Team five-roles.*\n\n[^]*grand_boss \(lead\)/);
    const { origin, host, port } = new URL(/http:\S+(?=\/#enter=)/.exec(out)?.[0] ?? "");
    const page = await ask(Number(port), "/", { headers: { host } });
    expect([page.status, page.body]).toEqual([200, expect.stringContaining("<script")]);
    expect(out).toMatch(/A new link to its page: switchboard web link --state-dir \S+/);
    demo.stdin.write("\u0003");
    expect(await once(demo, "close")).toEqual([0, null]);
    await expect(fetch(origin)).rejects.toThrow("fetch failed");
    await expect.poll(() => processesOf({ configDir: place }), { timeout: 20_000 }).toEqual([]);
    const left = readdirSync(place, { encoding: "utf8", recursive: true });
    expect(left.filter((name) => name.startsWith("switchboard"))).toEqual([]);
  },
);

/** The lines, without times and directories. */
const plain = (lines: string): string[] =>
  lines
    .split("\n")
    .map((line) => line.replace(/^\d\d:\d\d:\d\d /, "").replace(/\/\S+(?=\/work\/)/, ""));

/** The lines of the recording in docs/team.md that the output does not have in that order. */
function missingFrom(out: string): string[] {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/team.md"), "utf8");
  const [, recording = ""] = /```text\n\$ npm start\n([^]*?)```/.exec(page) ?? [];
  const recorded = plain(recording).filter((line) => line !== "" && line !== "[…]");
  expect(recorded.length).toBeGreaterThan(20);
  let rest = plain(out);
  return recorded.filter((line) => {
    const place = rest.indexOf(line);
    if (place >= 0) rest = rest.slice(place + 1);
    return place < 0;
  });
}
