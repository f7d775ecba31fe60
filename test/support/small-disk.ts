import { execFileSync } from "node:child_process";
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tempDir } from "./temp-dir.ts";

/** A disk of two megabytes; undefined where this process may not mount anything. */
export function mountSmallDisk() {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  const directory = tempDir();
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, [...args, directory], { stdio: "ignore" });
  try {
    run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs");
  } catch {
    return undefined;
  }
  onTestFinished(() => void run("umount", "-l"));
  return {
    directory,
    fill: () => fill(directory),
    resize: (size: string) => void run("mount", "-o", `remount,size=${size}`),
  };
}

/** Gives back what makes room again. */
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
