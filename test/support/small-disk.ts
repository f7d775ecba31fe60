import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { onTestFinished } from "vitest";
import { tempDir } from "./temp-dir.ts";

export interface SmallDisk {
  readonly directory: string;
  /** Leaves no room. @returns Makes room again. */
  readonly fill: () => () => void;
  readonly resize: (size: string) => void;
}

/**
 * A disk of two megabytes, or of another size. Where this process may not mount anything, the test is skipped, and the end of the
 * run says so; with `$SMALL_DISK_REQUIRED`, which CI sets where it may mount, the test fails instead.
 */
export function mountSmallDisk({ skip }: Pick<TestContext, "skip">, size = "2m"): SmallDisk {
  const directory = tempDir();
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, [...args, directory], { stdio: "pipe" });
  try {
    run("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs");
  } catch (error) {
    if (process.env["SMALL_DISK_REQUIRED"]) throw error;
    return skip("no right to mount a small disk here");
  }
  onTestFinished(() => void run("umount", "-l"));
  return {
    directory,
    fill: () => fill(directory),
    resize: (newSize) => void run("mount", "-o", `remount,size=${newSize}`),
  };
}

function fill(directory: string): () => void {
  const ballast = join(directory, "ballast");
  const block = Buffer.alloc(4096);
  try {
    for (;;) appendFileSync(ballast, block);
  } catch {
    // It is full.
  }
  return () => rmSync(ballast);
}
