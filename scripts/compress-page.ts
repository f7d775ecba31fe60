import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

// After the page is built: a gzip and a Brotli file beside each text, so that the gateway compresses nothing.
const page = join(import.meta.dirname, "../dist/page");
const texts = new Set([".html", ".js", ".css", ".svg", ".json"]);

for (const entry of readdirSync(page, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !texts.has(extname(entry.name))) continue;
  const path = join(entry.parentPath, entry.name);
  const content = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  writeFileSync(`${path}.br`, brotliCompressSync(content));
}
