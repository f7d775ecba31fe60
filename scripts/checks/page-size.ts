import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";
import { runTool } from "./command.ts";

/** What a browser loads before the page shows anything: script and style of the entry and all that it imports at once. */
const MAX_ENTRY_BYTES = 150_000;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
  readonly isEntry?: boolean;
}

/** Builds the page, and measures its entry as it is sent: compressed with gzip. */
export async function checkPageSize(root: string): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "page-size-"));
  try {
    const options = ["--logLevel", "error", "--outDir", directory, "--emptyOutDir"];
    const problems = await runTool(root, "vite", "build", "web", ...options);
    return problems.length > 0 ? problems : judge(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function judge(directory: string): string[] {
  const manifest = JSON.parse(
    readFileSync(join(directory, ".vite/manifest.json"), "utf8"),
  ) as Record<string, Chunk>;
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry === true);
  if (entry === undefined) return ["The built page has no entry."];
  const files = filesOf(manifest, entry);
  const bytes = [...files].reduce((sum, file) => sum + gzipped(join(directory, file)), 0);
  return bytes <= MAX_ENTRY_BYTES
    ? []
    : [
        `The page's entry has ${bytes} bytes (gzip), ${MAX_ENTRY_BYTES} are allowed: ${[...files].join(", ")}.`,
      ];
}

function filesOf(manifest: Record<string, Chunk>, name: string, found = new Set<string>()) {
  const chunk = manifest[name];
  if (chunk === undefined || found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const css of chunk.css ?? []) found.add(css);
  for (const each of chunk.imports ?? []) filesOf(manifest, each, found);
  return found;
}

const gzipped = (path: string): number =>
  gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION }).length;
