import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";

const PAGE_BYTES = 4_096;
const LOG_PAGES = 1_000;

/**
 * How often a second this disk makes a page durable: over an old one, as SQLite writes its log once that
 * has its size, or at the end of a file that grows.
 */
export function syncsPerSecond(path: string, where: "over" | "end", forMs: number): number {
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const file = openSync(path, "w");
  for (let index = 0; index < LOG_PAGES; index += 1) writeSync(file, page);
  fdatasyncSync(file);
  const start = performance.now();
  let syncs = 0;
  while (performance.now() - start < forMs) {
    const at = where === "over" ? syncs % LOG_PAGES : LOG_PAGES + syncs;
    writeSync(file, page, 0, PAGE_BYTES, at * PAGE_BYTES);
    fdatasyncSync(file);
    syncs += 1;
  }
  const seconds = (performance.now() - start) / 1000;
  closeSync(file);
  return syncs / seconds;
}
