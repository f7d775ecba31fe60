const SLAB_BYTES = 65_536;
/** Larger pieces would leave too much of a slab unused. */
const SHARED_BYTES = 4096;

let slab = new Uint8Array(SLAB_BYTES);
let used = 0;

/**
 * Zeroed memory that no other caller has. Small pieces share one slab, as in Node's Buffers: an ArrayBuffer per small
 * message would cost more than everything else done with it.
 */
export function takeMemory(bytes: number): Uint8Array {
  if (bytes > SHARED_BYTES) return new Uint8Array(bytes);
  if (used + bytes > SLAB_BYTES) {
    slab = new Uint8Array(SLAB_BYTES);
    used = 0;
  }
  const piece = slab.subarray(used, used + bytes);
  used += bytes;
  return piece;
}
