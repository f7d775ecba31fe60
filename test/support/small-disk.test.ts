import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test, vi } from "vitest";
import { mountSmallDisk } from "./small-disk.ts";
import { tempDir } from "./temp-dir.ts";

const skipped = "skipped as it should be";
const context = {
  skip: (note?: unknown) => {
    throw new Error(`${skipped}: ${String(note)}`);
  },
};

/** A machine on which nobody may mount anything. */
function withoutMount(): void {
  const bin = tempDir();
  writeFileSync(join(bin, "mount"), "#!/bin/sh\necho 'mount: permission denied' >&2\nexit 32\n");
  chmodSync(join(bin, "mount"), 0o755);
  vi.stubEnv("PATH", [bin, process.env["PATH"]].join(delimiter));
}

test("mountSmallDisk skips its test where nothing can be mounted, and says why", () => {
  withoutMount();
  vi.stubEnv("SMALL_DISK_REQUIRED", undefined);
  expect(() => mountSmallDisk(context)).toThrow(`${skipped}: no right to mount a small disk here`);
  vi.unstubAllEnvs();
});

test("mountSmallDisk fails its test there where a small disk is required, as in CI", () => {
  withoutMount();
  vi.stubEnv("SMALL_DISK_REQUIRED", "1");
  expect(() => mountSmallDisk(context)).toThrow("permission denied");
  vi.unstubAllEnvs();
});

test("mountSmallDisk gives a disk that is full, and then has room again", (here) => {
  const { directory, fill } = mountSmallDisk(here, "512k");
  const file = join(directory, "file");
  const makeRoom = fill();
  expect(() => writeFileSync(file, "x".repeat(10_000))).toThrow("ENOSPC");
  makeRoom();
  writeFileSync(file, "x".repeat(10_000));
  expect(existsSync(file)).toBe(true);
});
