import { once } from "node:events";
import { constants } from "node:os";
import { errorOf } from "../wire/errors.ts";
import { withDeathSignal } from "./death-signal.ts";
import { findCommand } from "./find-command.ts";
import { spawnProcess } from "./spawn-process.ts";
import { newSharedMark, treeVariable, withOuterMarks } from "./tree-mark.ts";
import { ensureWatchdog } from "./watchdog.ts";

/** A shell's exit code for a program that a signal ended. */
const SIGNAL_EXIT = 128;

/** The terminal sends it to the child as well; we wait until the child has decided what to do. */
const stay = (): void => {};

/**
 * Runs a program in our place: on our terminal, in our process group, with our whole environment, as a shell would.
 * It gets Ctrl+C from the terminal, and SIGTERM and SIGHUP from us. It dies with us, and so does everything it
 * started. Resolves with its exit code, as a shell reports it.
 *
 * @throws `start_failed` when there is no such program, or the system does not start it.
 */
export async function runInForeground(command: string, args: readonly string[]): Promise<number> {
  if (findCommand(command, process.env["PATH"] ?? "") === undefined) {
    throw errorOf("start_failed", `There is no program ${command} in PATH.`, { data: { command } });
  }
  const guarded = withDeathSignal({ command, args });
  const env = { ...process.env, [treeVariable]: withOuterMarks(newSharedMark()) };
  ensureWatchdog();
  const child = spawnProcess(guarded, { stdio: "inherit", env }, command);
  const passOn = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on("SIGINT", stay).on("SIGTERM", passOn).on("SIGHUP", passOn);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? SIGNAL_EXIT + constants.signals[signal ?? "SIGKILL"];
  } finally {
    process.off("SIGINT", stay).off("SIGTERM", passOn).off("SIGHUP", passOn);
  }
}
