import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new directory that is removed, with all that is in it, when the running test has ended. */
export function tempDir(parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, "sb-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const MEMORY = "/dev/shm";

/** The same in memory where there is such a place, for tests that would wait for the disk a thousand times. */
export const memoryDir = (): string => tempDir(existsSync(MEMORY) ? MEMORY : tmpdir());

/** The system's temp directory, for this test alone: no other process sweeps there. */
export function ownTempDir(): string {
  const [directory, before] = [tempDir(), process.env["TMPDIR"]];
  process.env["TMPDIR"] = directory;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  return directory;
}
