import { writeSync } from "node:fs";

const STDERR = 2;
const NEWLINE = 0x0a;

/** How long a full pipe may delay us. Longer than a busy reader needs, shorter than a person notices. */
const PATIENCE_MS = 250;
const NAP_MS = 5;

/** All loggers of the process share one stderr, so they share the state of its last line. */
let isTorn = false;
let isStuck = false;

/**
 * Where log lines go. Each is written before the call returns. A line that cannot be written (a full disk, a reader
 * that is gone) is dropped, and the next one is tried again: a log that failed its caller would end the host, most
 * likely when the log is about a full disk.
 */
export const stderrLines = {
  write(line: string): void {
    // Part of the last line may be written: the next line must not be read as its rest.
    const bytes = Buffer.from(isTorn ? `\n${line}` : line);
    let written = 0;
    let patienceMs = isStuck ? 0 : PATIENCE_MS;
    isStuck = false;
    while (written < bytes.length) {
      try {
        written += writeSync(STDERR, bytes, written);
      } catch (error) {
        const isFull = (error as NodeJS.ErrnoException).code === "EAGAIN";
        if (isFull && patienceMs > 0) {
          patienceMs -= NAP_MS;
          sleep(NAP_MS);
          continue;
        }
        // After one wait for a hanging reader, later lines do not wait.
        isStuck = isFull;
        break;
      }
    }
    if (written > 0) isTorn = bytes[written - 1] !== NEWLINE;
  },
};

/** Without the event loop, because the line must be written when the call returns. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
