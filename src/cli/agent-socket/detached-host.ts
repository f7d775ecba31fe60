import { randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { startDetached } from "../../proc/start-detached.ts";
import { privateDirectory, stateDirectory } from "../../session/stored-sessions.ts";
import { WireErrorSchema } from "../../wire/error-schema.ts";
import { fromWire } from "../../wire/error-wire.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import { listenForInterruption } from "../listen-for-interruption.ts";

/** The line that a host prints when clients may connect, with the file that has its stderr. */
export interface DetachedReady {
  readonly socket: string;
  readonly session_id: string;
  readonly log: string;
  readonly stderr: string;
}

/**
 * Runs this program with these arguments in a process that outlives us, our terminal and the program that started us. Resolves
 * when clients may connect; with undefined when a signal came first: then the host is ended, unless only the terminal
 * is gone.
 *
 * @param args this program, and the flags of a start; `--detach` among them does no harm.
 * @throws the host's own error when it did not start.
 */
export async function startDetachedHost(
  args: readonly string[],
  stateDir: string | undefined,
): Promise<DetachedReady | undefined> {
  using interruption = listenForInterruption();
  // Before the host has said which log is its own.
  const draft = join(privateDirectory(join(stateDirectory(stateDir), "detached")), randomUUID());
  const lines = hostLines(draft, args);
  const host = new StartedHost();
  const outcome = await Promise.race([
    host.readyLine(lines),
    interruption.first.then((signal) => ({ signal })),
  ]);
  if (outcome === undefined) throw takeError(draft);
  if ("signal" in outcome) {
    if (outcome.signal !== "SIGHUP") host.end();
    lines.destroy();
    rmSync(draft);
    return undefined;
  }
  return { ...outcome, stderr: keepErrors(draft, outcome.log) };
}

/** What a host says on stdout. Its stderr goes into the file. */
function hostLines(draft: string, args: readonly string[]): Readable {
  const errors = openSync(draft, "ax", 0o600);
  try {
    return startDetached({
      command: process.execPath,
      // Its error is for this process to read.
      args: [...args, "--no-detach", "--json"],
      env: process.env,
      errors,
    });
  } finally {
    closeSync(errors);
  }
}

class StartedHost {
  #said = "";

  /** Undefined when the host has ended without it. */
  async readyLine(lines: Readable): Promise<Omit<DetachedReady, "stderr"> | undefined> {
    for await (const chunk of lines) {
      this.#said += String(chunk);
      const [ready] = /^\{.*\}$(?=\n)/m.exec(this.#said) ?? [];
      if (ready !== undefined) return JSON.parse(ready) as Omit<DetachedReady, "stderr">;
    }
    return undefined;
  }

  end(): void {
    const [pid] = /^\d+$/m.exec(this.#said) ?? [];
    try {
      if (pid !== undefined) process.kill(Number(pid), "SIGTERM");
    } catch {
      // It has just ended.
    }
  }
}

/** From now on the host's stderr is beside its log. What the host before has left there is kept once. */
function keepErrors(draft: string, log: string): string {
  const file = join(log, "stderr.log");
  if (existsSync(file)) renameSync(file, `${file}.1`);
  renameSync(draft, file);
  return file;
}

/** Why the host did not start, in its own words. */
function takeError(draft: string): ClaudeCodeError {
  const said = readFileSync(draft, "utf8").trim();
  const last = said.slice(said.lastIndexOf("\n") + 1);
  try {
    const error = fromWire(WireErrorSchema.parse(JSON.parse(last)));
    rmSync(draft);
    return error;
  } catch {
    return errorOf("start_failed", `The session's process ended: ${last || "it said nothing"}`, {
      data: { log: draft },
      hint: `What it said is in ${draft}.`,
    });
  }
}
