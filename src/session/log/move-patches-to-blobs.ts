import type { BlobRef } from "../../wire/blob.ts";
import type { FileChange } from "../../wire/session/file-change.ts";
import { patchOf } from "../changes/shorten-change.ts";

/**
 * Changes of files whose whole patches are stored as blobs: those that do not fit into the event anyway, or with `all`
 * every one, so that the event becomes small. Returns the changes themselves when there is nothing to move.
 */
export function movePatches(
  changes: readonly FileChange[],
  all: boolean,
  store: (payload: string) => BlobRef,
): readonly FileChange[] {
  const light = changes.map((change): FileChange => {
    const { path, hunks = [], patch } = change;
    const isMoved = typeof patch === "object";
    if (!all || hunks.length === 0) {
      return typeof patch === "string" ? { ...change, patch: store(patch) } : change;
    }
    const whole = isMoved ? patch : store(patch ?? patchOf(path, hunks));
    return { ...change, hunks: [], truncated: true, patch: whole };
  });
  return light.some((change, index) => change !== changes[index]) ? light : changes;
}
