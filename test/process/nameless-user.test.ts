import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

const program = fileURLToPath(new URL("../../bin/switchboard.js", import.meta.url));
const UID = 12_345;

/** Runs a command as a user for whom the system has no name, as `docker run --user` does. Only root can. */
function asNameless(args: string[], env: Record<string, string>) {
  const command = [process.execPath, program, ...args];
  return spawnSync("setpriv", ["--reuid", String(UID), "--clear-groups", "--", ...command], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    cwd: "/",
    encoding: "utf8",
  });
}

test.runIf(process.getuid?.() === 0)(
  "commands work for a user without a name and without a home directory of the system's",
  () => {
    const home = tempDir();
    chmodSync(home, 0o777);
    for (const command of [["status"], ["send", "hi"], ["attach", "boss"]]) {
      const { status, stderr } = asNameless([...command, "--state-dir", home], { HOME: home });
      expect(stderr).toContain("team_not_running");
      expect(status).toBe(69);
    }
    const homeless = asNameless(["status"], {});
    expect(homeless.stderr).toMatch(/home directory for uid 12345\.[^]*Set HOME/);
    expect(homeless.status).toBe(64);
    expect(asNameless(["status"], { XDG_STATE_HOME: home }).status).toBe(69);
  },
);
