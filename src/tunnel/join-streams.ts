import type { Duplex } from "node:stream";

/** Passes the bytes of each to the other. The end of one direction leaves the other open; an error ends both. */
export function joinStreams(one: Duplex, other: Duplex): void {
  if (one.destroyed || other.destroyed) {
    one.destroy();
    other.destroy();
    return;
  }
  one.pipe(other);
  other.pipe(one);
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => {
      // A stream that was destroyed has not ended its reader's side.
      if (!from.readableEnded || !from.writableFinished) to.destroy();
    });
  }
}
