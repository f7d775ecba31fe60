import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new directory that is removed, with all that is in it, when the running test has ended. */
export function tempDir(): string {
  const directory = mkdtempSync(join(tmpdir(), "sb-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
