const SLAB_BYTES = 65_536;
/** Larger pieces would leave too much of a slab unused. */
const SHARED_BYTES = 4096;

let slab = new Uint8Array(SLAB_BYTES);
let used = 0;

/**
 * Memory of zeros that nobody else has. Small pieces are cut from one slab, as Node does for its
 * Buffers: an ArrayBuffer of its own would cost a small message more than all else that is done with it.
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
