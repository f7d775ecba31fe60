import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Row } from "./transcript.ts";
import { parseRow } from "./transcript.ts";

const CHUNK_BYTES = 1_048_576;

/** Reads the rows that are added to a transcript, each once. */
export class TranscriptTail {
  readonly path: string;
  #offset: number;
  /** The beginning of a row whose end is not written yet. */
  #rest: Buffer = Buffer.alloc(0);

  /** From the first row, or only what comes after the given size. */
  constructor(path: string, offset = 0) {
    this.path = path;
    this.#offset = offset;
  }

  /** The rows since the last call. A missing file has none. */
  read(): Row[] {
    let file: number;
    try {
      file = openSync(this.path, "r");
    } catch {
      return [];
    }
    try {
      return this.#readFrom(file);
    } finally {
      closeSync(file);
    }
  }

  #readFrom(file: number): Row[] {
    const rows: Row[] = [];
    const { size } = fstatSync(file);
    while (this.#offset < size) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size - this.#offset));
      const length = readSync(file, chunk, 0, chunk.length, this.#offset);
      if (length === 0) break;
      this.#offset += length;
      this.#rest = Buffer.concat([this.#rest, chunk.subarray(0, length)]);
      rows.push(...this.#cutRows());
    }
    return rows;
  }

  #cutRows(): Row[] {
    const rows: Row[] = [];
    let start = 0;
    for (;;) {
      const end = this.#rest.indexOf(0x0a, start);
      if (end === -1) break;
      const row = parseRow(this.#rest.subarray(start, end));
      if (row) rows.push(row);
      start = end + 1;
    }
    this.#rest = this.#rest.subarray(start);
    return rows;
  }
}
