import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import { privateDirectory } from "./state-directory.ts";

export interface LogEntry {
  readonly sessionId: string;
  readonly directory: string;
  /** When a file of the log was last made, renamed or removed; a write to a file does not count. */
  readonly changedMs: number;
}

/**
 * The logs in a state directory, one directory each, and the CLI session that each belongs to. A log has one session
 * at a time; when the CLI changes the session (`/clear`), the log moves with it.
 */
export class LogIndex {
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

  /** Every session that has a log here, with the log's directory. */
  entries(): LogEntry[] {
    const ids = readdirSync(this.#sessions).map((name) => decodeURIComponent(name));
    return ids.flatMap((sessionId) => {
      const directory = this.find(sessionId);
      const changed = directory && statSync(directory, { throwIfNoEntry: false });
      return changed ? [{ sessionId, directory, changedMs: changed.mtimeMs }] : [];
    });
  }

  /** Creates a directory for a log; its name is the log's id. `assign` gives it to a session. */
  create(): string {
    return privateDirectory(join(this.#logs, randomUUID()));
  }

  /** Makes the log in this directory the session's. */
  assign(sessionId: string, directory: string): void {
    privateDirectory(this.#sessions);
    const entry = this.#entry(sessionId);
    const name = directory.slice(this.#logs.length + 1);
    replaceFile(entry, `${name}\n`, { durable: false, draft: `${entry}.${process.pid}` });
  }

  /** Removes the session's entry. */
  forget(sessionId: string): void {
    rmSync(this.#entry(sessionId), { force: true });
  }

  #entry(sessionId: string): string {
    return join(this.#sessions, encodeURIComponent(sessionId));
  }
}
