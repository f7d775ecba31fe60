import { spawnSync } from "node:child_process";
import { findCommand, systemPath } from "./find-command.ts";

export interface Command {
  command: string;
  args: readonly string[];
}

let setpriv: string | false | undefined;

/**
 * The command, started so that the kernel kills it at the moment we die. `setpriv` sets the death signal and then
 * becomes the command, so the pid is the command's own. Without such a `setpriv` (other systems, BusyBox) the command
 * stays unchanged, and the watchdog ends the child some ten milliseconds later.
 *
 * The kernel ties the signal to the *thread* that started the child.
 */
export function withDeathSignal({ command, args }: Command): Command {
  setpriv ??= findSetpriv();
  if (setpriv === false) return { command, args };
  return { command: setpriv, args: ["--pdeathsig", "KILL", "--", command, ...args] };
}

function findSetpriv(): string | false {
  if (process.platform !== "linux") return false;
  const file = findCommand("setpriv", systemPath());
  if (file === undefined) return false;
  const probe = spawnSync(file, ["--pdeathsig", "KILL", "--", "/bin/sh", "-c", ":"], {
    stdio: "ignore",
  });
  return probe.status === 0 ? file : false;
}
