import { fdatasyncSync, ftruncateSync } from "node:fs";
import { applyEvent } from "../state/apply-event.ts";
import { writeAll } from "./durable-file.ts";
import type { Loaded } from "./load-log.ts";
import { placeEvent } from "./place-event.ts";

/**
 * Puts a notice in the place of a last line that a crash has torn. A client may have been told that line, and the notice
 * takes its number: so the epoch in which it is used again has to be on disk before.
 */
export function cutTornLine(loaded: Loaded, clock: () => Date): Loaded {
  const { fd, size, tornBytes } = loaded;
  if (tornBytes === 0) return loaded;
  const lastSeq = loaded.lastSeq + 1;
  const { event, line } = placeEvent(
    {
      type: "notice",
      code: "log_repaired",
      message: `The last line of the log was torn by a crash; its ${tornBytes} bytes were cut off.`,
      data: { offset: size, bytes: tornBytes },
    },
    lastSeq,
    clock,
  );
  // First the notice in the torn line's place, then the cut: a crash in between leaves another torn line.
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
