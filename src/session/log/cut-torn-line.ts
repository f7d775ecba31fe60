import { fdatasyncSync, ftruncateSync } from "node:fs";
import { applyEvent } from "../../session-state/apply-event.ts";
import { writeAll } from "../../files/replace-file.ts";
import type { Loaded } from "./load-log.ts";
import { numberEvent } from "./number-event.ts";

/**
 * Replaces a last line that a crash tore with a notice. A client may have received that line, and the notice reuses
 * its number: so the new epoch must be on disk first.
 */
export function cutTornLine(loaded: Loaded): Loaded {
  const { fd, size, tornBytes } = loaded;
  if (tornBytes === 0) return loaded;
  const lastSeq = loaded.lastSeq + 1;
  const { event, line } = numberEvent(
    {
      type: "notice",
      code: "log_repaired",
      message: `A crash left the last line of the log incomplete; its ${tornBytes} bytes were removed.`,
      data: { offset: size, bytes: tornBytes },
    },
    lastSeq,
  );
  // First the notice over the torn line, then the cut: a crash in between leaves another torn line.
  writeAll(fd, line, size);
  ftruncateSync(fd, size + line.length);
  fdatasyncSync(fd);
  applyEvent(loaded.state, event);
  return {
    ...loaded,
    lastSeq,
    size: size + line.length,
    lastLineBytes: line.length,
    tornBytes: 0,
  };
}
