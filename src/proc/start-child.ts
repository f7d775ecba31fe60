import type {
  ChildProcess,
  ChildProcessWithoutNullStreams,
  SpawnOptions,
  StdioOptions,
} from "node:child_process";
import type { Socket } from "node:net";
import { errorOf } from "../wire/errors.ts";
import { withDeathSignal } from "./death-signal.ts";
import type { Environment } from "./child-environment.ts";
import { childEnvironment, withoutUnset } from "./child-environment.ts";
import { findCommand, isDirectory } from "./find-command.ts";
import { spawnProcess } from "./spawn-process.ts";
import type { ChildExit, StopOptions, StopReport } from "./stop-in-stages.ts";
import { stopInStages } from "./stop-in-stages.ts";
import { sweepTree } from "./sweep-processes.ts";
import { processId } from "./process-identity.ts";
import { newMark, treeVariable, withOuterMarks } from "./tree-mark.ts";
import { ensureWatchdog, forgetSession, holdPipes, watchSession } from "./watchdog.ts";

export interface ChildOptions {
  command: string;
  args?: readonly string[];
  cwd?: string;
  /** The whole environment; `childEnvironment()` by default. */
  env?: Environment;
  /** May outlive us: no death signal, no watchdog, no mark, and it does not keep us alive. */
  linger?: boolean;
  /** Pipes by default. A pipe that is not read stops the child when it is full. */
  stdio?: StdioOptions;
  /**
   * When we are killed, its pipes end only after it has: for a child that would act on their end. Not with `linger`.
   */
  holdPipes?: boolean;
}

export interface Child<Process extends ChildProcess = ChildProcess> {
  readonly process: Process;
  readonly pid: number;
  /** The child itself has ended, in whatever way. */
  readonly exited: Promise<ChildExit>;
  /**
   * The child has ended and so has everything it started; resolves with the number of processes that had to be
   * killed. Rejects if some cannot be. For a lingering child it settles together with `exited`.
   */
  readonly gone: Promise<number>;
  /** Ends the child and everything it started. Every call gets the report of the first. */
  stop(options?: StopOptions): Promise<StopReport>;
}

/** A child whose three streams are all pipes; its `process` is what the Agent SDK expects from a spawner. */
export type PipedChild = Child<ChildProcessWithoutNullStreams>;

/**
 * Starts a program in a session and process group of its own. Unless it may linger, neither it nor its descendants
 * outlive us, even if we are killed, and its descendants do not outlive *it*. From a worker thread the child dies
 * with that thread.
 *
 * Throws `cwd_not_found` or `start_failed` at once; after that, `exited` reports how it ended.
 */
export function startChild(options: ChildOptions & { stdio?: never }): PipedChild;
export function startChild(options: ChildOptions): Child;
export function startChild(options: ChildOptions): Child {
  const { linger = false } = options;
  const mark = linger ? undefined : newMark();
  const env = withMark(withoutUnset(options.env ?? childEnvironment()), mark);
  checkStart(options, env);
  if (mark !== undefined) ensureWatchdog();

  const process = spawnInSession(options, env);
  const { pid } = process;
  const session = processId(pid);
  const exited = exitOf(process);
  if (mark === undefined) {
    leaveAlone(process);
    const sweepRest = () => sweepTree({ session });
    return childOf({ process, pid, exited, gone: exited.then(() => 0), sweepRest });
  }
  watchSession(session);
  if (options.holdPipes === true) hold(process);
  const gone = exited
    .then(() => sweepTree({ mark, session }))
    .finally(() => forgetSession(session));
  // Callers need not await it.
  gone.catch(() => {});
  return childOf({ process, pid, exited, gone, sweepRest: () => gone });
}

type Parts = Omit<Child, "stop"> & { sweepRest: () => Promise<number> };

function childOf({ sweepRest, ...child }: Parts): Child {
  let stopping: Promise<StopReport> | undefined;
  const stop = (options: StopOptions = {}) =>
    (stopping ??= stopInStages({ ...child, sweepRest }, options));
  return { ...child, stop };
}

function spawnInSession(options: ChildOptions, env: Record<string, string>) {
  const plain = { command: options.command, args: options.args ?? [] };
  const guarded = options.linger === true ? plain : withDeathSignal(plain);
  const how: SpawnOptions = {
    env,
    detached: true,
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    stdio: options.stdio ?? "pipe",
  };
  const process = spawnProcess(guarded, how, plain.command);
  // `exited` reports a write to an ended child: without a listener it would end the host.
  process.stdin?.on("error", () => {});
  return process;
}

function hold(process: ChildProcess): void {
  try {
    holdPipes(process.stdio.filter((pipe) => pipe != null));
  } catch {
    // The system has no room for another process now. The child is watched nevertheless.
  }
}

/** Neither the process nor its pipes keep us alive. */
function leaveAlone(process: ChildProcess): void {
  process.unref();
  for (const stream of process.stdio) (stream as Socket | null)?.unref();
}

/** An inherited mark is never passed on unchanged: it belongs to another tree. */
function withMark(env: Record<string, string>, mark: string | undefined): Record<string, string> {
  const { [treeVariable]: _, ...rest } = env;
  return mark === undefined ? rest : { ...rest, [treeVariable]: withOuterMarks(mark) };
}

const exitOf = (process: ChildProcess): Promise<ChildExit> =>
  new Promise((resolve) => {
    process.once("exit", (code, signal) => resolve({ code, signal }));
  });

/** The system's own error for a missing directory names the command, and `setpriv` would hide a missing command. */
function checkStart({ command, cwd }: ChildOptions, env: Record<string, string>): void {
  if (cwd !== undefined && !isDirectory(cwd)) {
    throw errorOf("cwd_not_found", `${cwd} is not a directory`, { data: { cwd } });
  }
  const path = env["PATH"] ?? "";
  if (findCommand(command, path, cwd) === undefined) {
    const where = command.includes("/") ? "" : ` in PATH (${path})`;
    throw errorOf("start_failed", `There is no executable ${command}${where}`, {
      data: { command },
    });
  }
}
