import type { Readable } from "node:stream";
import type { Environment } from "./child-environment.ts";
import { withoutUnset } from "./child-environment.ts";
import { spawnProcess } from "./spawn-process.ts";
import { treeVariable } from "./tree-mark.ts";

export interface DetachedOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Environment;
  /** An open file, which gets what the program writes on stderr. */
  readonly errors: number;
}

/**
 * The shell opens a session, starts the program in it and ends at once. So the program's parent is init, its session
 * has no terminal, and it is no descendant of ours: neither a signal to our descendants nor the end of our terminal
 * reaches it.
 */
const script = '"$@" </dev/null & echo $!';

/**
 * Starts a program that outlives us, also if the program that started us ends everything that we have started. It carries no
 * mark, so no sweep counts it as ours. (Only a service manager that ends a whole control group finds it, or an ancestor
 * that adopts orphans.)
 *
 * Returns what the program writes on stdout, after a first line with its pid. The text ends when the program ends or
 * closes its stdout. When we are gone, its stdout has no reader.
 *
 * @throws `start_failed`.
 */
export function startDetached({ command, args, env, errors }: DetachedOptions): Readable {
  const { [treeVariable]: _, ...unmarked } = withoutUnset(env);
  const shell = { command: "/bin/sh", args: ["-c", script, "sh", command, ...args] };
  const { stdout } = spawnProcess(
    shell,
    { env: unmarked, detached: true, stdio: ["ignore", "pipe", errors] },
    command,
  );
  // The spawn asked for a pipe.
  return stdout as Readable;
}
