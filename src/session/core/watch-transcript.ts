import type { FSWatcher } from "node:fs";
import { watch } from "node:fs";
import type { Row } from "../../engine/recovery/index.ts";
import { TranscriptTail, findTranscript } from "../../engine/recovery/index.ts";
import type { Timers } from "../../time/clock.ts";

/** The system may miss a change, and a missing file cannot be watched. */
const LOOK_MS = 100;

interface Watched {
  sessionId: string;
  tail?: TranscriptTail;
  watcher?: FSWatcher | undefined;
}

/**
 * Follows the CLI's transcript of the session: what is in it is part of the conversation. After `/clear` there are
 * two, and a message may be in either.
 */
export class TranscriptWatch {
  readonly #configDir: string;
  readonly #timers: Timers;
  readonly #onRows: (rows: readonly Row[]) => void;
  #files: Watched[] = [];
  #cancelLook: (() => void) | undefined;
  #closed = false;

  /** @param onRows gets all rows of a file at its first look, and then the new ones. */
  constructor(configDir: string, timers: Timers, onRows: (rows: readonly Row[]) => void) {
    this.#configDir = configDir;
    this.#timers = timers;
    this.#onRows = onRows;
  }

  /** Follows another session of the CLI, and goes on following the one before. */
  follow(sessionId: string): void {
    if (this.#files.some((file) => file.sessionId === sessionId)) return;
    this.#files.push({ sessionId });
    for (const { watcher } of this.#files.splice(0, this.#files.length - 2)) watcher?.close();
  }

  /** The files were replaced: reads them again from the first row. */
  reopen(): void {
    for (const file of this.#files) {
      file.watcher?.close();
      delete file.watcher;
      delete file.tail;
    }
    this.look();
  }

  /** Reads the new rows now. */
  look(): void {
    if (this.#closed) return;
    for (const file of this.#files) {
      this.#find(file);
      const rows = file.tail?.read() ?? [];
      if (rows.length > 0) this.#onRows(rows);
    }
  }

  /** Looks repeatedly until `done` returns true. */
  lookUntil(done: () => boolean): void {
    if (this.#cancelLook || this.#closed) return;
    this.look();
    if (done()) return;
    this.#cancelLook = this.#timers.after(LOOK_MS, () => {
      this.#cancelLook = undefined;
      this.lookUntil(done);
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancelLook?.();
    for (const { watcher } of this.#files) watcher?.close();
  }

  #find(file: Watched): void {
    if (file.tail) return;
    const path = findTranscript(this.#configDir, file.sessionId);
    if (path === undefined) return;
    file.tail = new TranscriptTail(path);
    try {
      file.watcher = watch(path, { persistent: false }, () => this.look());
      file.watcher.on("error", () => file.watcher?.close());
    } catch {
      // The system has no watches left: polling is enough.
    }
  }
}
