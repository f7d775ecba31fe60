import type { LogBatch } from "./log-batch.ts";

const NEWLINE = 0x0a;

/** The part of a batch after `seq`: complete lines, without a copy. */
export function linesAfter({ bytes, firstSeq }: LogBatch, seq: number): Uint8Array {
  let start = 0;
  for (let line = firstSeq; line <= seq; line += 1) start = bytes.indexOf(NEWLINE, start) + 1;
  return bytes.subarray(start);
}
