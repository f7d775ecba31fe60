import type { ChildProcess, SpawnOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { errorOf } from "../wire/errors.ts";
import type { Command } from "./death-signal.ts";

const noRoom = "Look at the limits on processes and open files (ulimit -u, ulimit -n).";
const notAllowed = "Check that you may execute it, and that you may enter its working directory.";

const hints: Readonly<Record<string, string>> = {
  EACCES: notAllowed,
  EPERM: notAllowed,
  E2BIG: "Its arguments and variables exceed the system's limit. Pass less, or use a file.",
  EAGAIN: noRoom,
  EMFILE: noRoom,
  ENFILE: noRoom,
  ENOMEM: noRoom,
};

/** A process that the system has started has a pid. */
type Started = ChildProcess & { readonly pid: number };

/**
 * Starts a process whose errors do not end ours. Node reports most refusals only later, by an event, and some by an
 * error of its own; its tracing reports all of them at once.
 *
 * @param wanted names the program in errors, where `command` is only a wrapper.
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
  const reason = typeof code === "string" ? code : "it gave no reason";
  const hint = hints[reason];
  return errorOf("start_failed", `The system did not start ${command}: ${reason}`, {
    data: { command, reason },
    cause,
    ...(hint !== undefined && { hint }),
  });
}
