import type { ChildProcess, SpawnOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { errorOf } from "../wire/errors.ts";
import type { Command } from "./death-signal.ts";

const noRoom = "Look at the limits on processes and open files (ulimit -u, ulimit -n).";
const notAllowed = "Look whether you may run it, and enter the directory in which it is to run.";

const hints: Readonly<Record<string, string>> = {
  EACCES: notAllowed,
  EPERM: notAllowed,
  E2BIG:
    "Its arguments and variables are more than the system takes. Hand over less, or by a file.",
  EAGAIN: noRoom,
  EMFILE: noRoom,
  ENFILE: noRoom,
  ENOMEM: noRoom,
};

/** A process that the system has started has a number. */
type Started = ChildProcess & { readonly pid: number };

/**
 * Starts a process whose errors end nobody. Node tells of most refusals only later, by an event, and of some
 * by an error of its own; its tracing tells of all of them at once.
 *
 * @param wanted names the program in errors, where `command` only stands before it.
 * @throws `start_failed` with the system's reason.
 */
export function spawnProcess(
  { command, args }: Command,
  options: SpawnOptions,
  wanted = command,
): Started {
  let refusal: unknown;
  const note = (message: unknown): void => void (refusal = Reflect.get(Object(message), "error"));
  subscribe("tracing:child_process.spawn:error", note);
  try {
    const started = spawn(command, args, options).on("error", () => {});
    if (started.pid !== undefined) return started as Started;
  } catch (error) {
    refusal = error;
  } finally {
    unsubscribe("tracing:child_process.spawn:error", note);
  }
  throw refused(wanted, refusal);
}

function refused(command: string, cause: unknown) {
  const code: unknown = Reflect.get(Object(cause), "code");
  const reason = typeof code === "string" ? code : "for no reason that it gave";
  const hint = hints[reason];
  return errorOf("start_failed", `The system did not start ${command}: ${reason}`, {
    data: { command, reason },
    cause,
    ...(hint !== undefined && { hint }),
  });
}
