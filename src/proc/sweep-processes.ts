import { spawn } from "node:child_process";
import { errorOf } from "../wire/errors.ts";
import { systemPath } from "./find-command.ts";
import { sweepScript } from "./sweep-script.ts";
import { ownSession, pidNamespace } from "./process-identity.ts";

interface Tree {
  /** The tree's mark; omitted for a tree without one, of which only the session is known. */
  mark?: string;
  /** The session's leader, as `processId` names it. */
  session: string;
}

/**
 * Ends what is left of a child's tree. Resolves with the number of processes that had to be killed, once nothing is
 * left; rejects if something cannot be ended.
 */
export const sweepTree = ({ mark, session }: Tree): Promise<number> =>
  runSweep("switchboard-sweep", mark === undefined ? "" : `${mark}(,|$)`, session, ownSession());

/**
 * Ends what hosts left behind that were killed together with their watchdog. A host calls it before it starts its
 * first child. Resolves with the number of processes that were ended, once none is left.
 */
export const sweepOrphans = (): Promise<number> =>
  runSweep("switchboard-orphans", pidNamespace(), ownSession());

/**
 * How `sh` runs the sweep script. It reads the script from its input, so that a process list shows one readable line.
 * It is in a session of its own, so that Ctrl-C misses it, and carries no mark.
 */
export const sweepShell = (...args: string[]) => ({
  command: "/bin/sh",
  args: ["-s", "--", ...args],
  options: { cwd: "/", detached: true, env: { PATH: systemPath(), LC_ALL: "C" } },
});

function runSweep(...args: string[]): Promise<number> {
  const shell = sweepShell(...args);
  return new Promise((resolve, reject) => {
    const sweeper = spawn(shell.command, shell.args, {
      ...shell.options,
      stdio: ["pipe", "pipe", "ignore"],
    });
    let ended = "";
    sweeper.stdout?.setEncoding("latin1").on("data", (text: string) => (ended += text));
    sweeper.stdin?.on("error", () => {}).end(sweepScript);
    sweeper.on("error", (cause) => {
      reject(
        errorOf("start_failed", "The search for left-over processes did not start", { cause }),
      );
    });
    sweeper.on("close", (code) => {
      const processes = new Set(ended.split("\n").filter(Boolean));
      if (code === 0) resolve(processes.size);
      else reject(leftOver(processes));
    });
  });
}

const leftOver = (processes: Set<string>) =>
  errorOf("timeout", `Some of these processes did not end: ${[...processes].join(", ")}`, {
    hint: "They got SIGKILL. Check with 'ps' whether they are waiting for a disk or a network file system.",
  });
