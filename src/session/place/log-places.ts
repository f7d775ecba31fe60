import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { privateDirectory } from "./state-directory.ts";

/**
 * The logs in a state directory, one directory each, and which of them belongs to which session of the
 * CLI. A log has one session at a time; when the CLI changes it (`/clear`), the log goes along.
 */
export class LogPlaces {
  readonly #logs: string;
  readonly #sessions: string;

  constructor(stateDirectory: string) {
    this.#logs = privateDirectory(join(stateDirectory, "logs"));
    this.#sessions = privateDirectory(join(stateDirectory, "sessions"));
  }

  /** The directory of the session's log, if it has one. */
  find(sessionId: string): string | undefined {
    try {
      const name = readFileSync(this.#entry(sessionId), "utf8").trim();
      return /^[\w-]+$/.test(name) ? join(this.#logs, name) : undefined;
    } catch {
      return undefined;
    }
  }

  /** A new directory for a log, whose id is its name; the session gets it with `assign`. */
  create(): string {
    return privateDirectory(join(this.#logs, randomUUID()));
  }

  /** From now on the log in this directory is the session's. */
  assign(sessionId: string, directory: string): void {
    const entry = this.#entry(sessionId);
    const draft = `${entry}.${process.pid}`;
    writeFileSync(draft, `${directory.slice(this.#logs.length + 1)}\n`, { mode: 0o600 });
    renameSync(draft, entry);
  }

  /** The session has no log here any more. */
  forget(sessionId: string): void {
    rmSync(this.#entry(sessionId), { force: true });
  }

  #entry(sessionId: string): string {
    return join(this.#sessions, encodeURIComponent(sessionId));
  }
}
