import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { WireErrorSchema } from "../../src/wire/error-schema.ts";

const project = resolve(import.meta.dirname, "../..");

function start(bin: string, ...args: string[]) {
  return spawnSync(process.execPath, [`bin/${bin}.js`, ...args], {
    cwd: project,
    encoding: "utf8",
  });
}

describe("switchboard", () => {
  it("teaches its commands with --help", () => {
    const { status, stdout, stderr } = start("switchboard", "--help");
    expect(stdout).toMatch(/^Usage: switchboard/);
    expect(stdout).toContain("Examples:");
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("prints its version", () => {
    expect(start("switchboard", "--version").stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("answers a bare call with help on stderr and the exit code of wrong usage", () => {
    const { status, stdout, stderr } = start("switchboard");
    expect(stderr).toMatch(/^Usage: switchboard/);
    expect([status, stdout]).toEqual([64, ""]);
  });

  it("refuses an unknown option in words, with the exit code of wrong usage", () => {
    const { status, stdout, stderr } = start("switchboard", "--bad");
    expect(stderr).toBe(
      "error: unknown option '--bad' (invalid_params)\n  See 'switchboard --help'.\n",
    );
    expect([status, stdout]).toEqual([64, ""]);
  });

  it("points to the help of the command that was called wrongly", () => {
    const { status, stderr } = start("switchboard", "rehearse");
    expect(stderr).toBe(
      "error: missing required argument 'script' (invalid_params)\n  See 'switchboard rehearse --help'.\n",
    );
    expect(status).toBe(64);
  });

  it("gives a command's own failure the exit code of the table, and programs its JSON", () => {
    const { status, stdout, stderr } = start("switchboard", "rehearse", "no-such.yaml", "--json");
    expect(WireErrorSchema.parse(JSON.parse(stderr)).code).toBe("script_invalid");
    expect([status, stdout]).toEqual([65, ""]);
  });

  it("refuses an unknown command, for programs as JSON on stderr", () => {
    const { status, stderr } = start("switchboard", "nonsense", "--json");
    const { code, message } = WireErrorSchema.parse(JSON.parse(stderr));
    expect([code, message]).toEqual(["invalid_params", "unknown command 'nonsense'"]);
    expect(status).toBe(64);
  });

  it("help refuses a command that does not exist, and names the one that was probably meant", () => {
    const { status, stdout, stderr } = start("switchboard", "help", "stauts");
    expect(stderr).toBe(
      "error: unknown command 'stauts' (Did you mean status?) (invalid_params)\n  See 'switchboard --help'.\n",
    );
    expect([status, stdout]).toEqual([64, ""]);
    expect(start("switchboard", "help", "status").stdout).toMatch(/^Usage: switchboard status/);
  });

  it("says that the disk is full when its output does not fit there", () => {
    const { status, stderr } = spawnSync(
      "sh",
      ["-c", `exec "$0" bin/switchboard.js --help > /dev/full`, process.execPath],
      { cwd: project, encoding: "utf8" },
    );
    expect(stderr).toContain("(disk_full)");
    expect(status).toBe(74);
  });

  it.each([[[]], [["no.sock"]], [["no.sock", "no.json"]], [["a.sock", "b.json", "other"]]])(
    "[IPC-8] as bridge %j says what is wrong as the bridge process does",
    (args) => {
      const { status, stdout, stderr } = start("switchboard", "bridge", ...args);
      expect(stderr).toMatch(/^BridgeStartupError: .+\.\n$/);
      expect([status, stdout]).toEqual([69, ""]);
    },
  );
});

describe("agent-socket", () => {
  it("has --help and --version", () => {
    expect(start("agent-socket", "--help").stdout).toMatch(/^Usage: agent-socket/);
    expect(start("agent-socket", "--version").stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("answers a bare call with help on stderr and the exit code of wrong usage", () => {
    const { status, stdout, stderr } = start("agent-socket");
    expect(stderr).toMatch(/^Usage: agent-socket/);
    expect([status, stdout]).toEqual([64, ""]);
  });

  it.each([
    [["--cwd"], "option '--cwd <dir>' argument missing"],
    [["--max-turns", "few"], "Expected a whole number."],
    [["--permission-mode", "yolo"], "Allowed choices are default, acceptEdits"],
    [["--resume", "a", "--continue"], "cannot be used with option '--continue'"],
    [["nonsense"], "error: unknown command 'nonsense' (invalid_params)"],
    [["--max-turns", "0"], "Expected a whole number above 0."],
    [["--model", ""], "'--model <model>' argument '' is invalid. It is empty."],
    [["--resume", ""], "'--resume <id>' argument '' is invalid. It is empty."],
    [["--mcp-config", "no.json"], "no.json: there is no such file."],
  ])("refuses wrong usage with the exit code of the table: %j", (args, words) => {
    const { status, stdout, stderr } = start("agent-socket", ...args);
    expect(stderr).toContain(words);
    expect([status, stdout]).toEqual([64, ""]);
  });

  it("lists no sessions of a path that is no directory", () => {
    const { status, stdout, stderr } = start("agent-socket", "list", "--cwd", "/no/such");
    expect(stderr).toContain("/no/such is not a directory.");
    expect([status, stdout]).toEqual([66, ""]);
  });
});

/** The commands that the help of a program lists. */
const commandsOf = (bin: string): string[] =>
  [...start(bin, "--help").stdout.matchAll(/^ {2}([a-z]+) (?:\[|<)/gm)].map(
    ([, name = ""]) => name,
  );

describe("--help", () => {
  it.each([
    ["switchboard", 20],
    ["agent-socket", 4],
  ])("every help text of %s fits into a terminal of 80 columns", (bin, atLeast) => {
    const commands = commandsOf(bin);
    expect(commands.length).toBeGreaterThanOrEqual(atLeast);
    const tooLong = [[], ...commands.map((command) => [command])].flatMap((args) =>
      start(bin, ...args, "--help")
        .stdout.split("\n")
        .filter((line) => line.length > 80),
    );
    expect(tooLong).toEqual([]);
  });
});
