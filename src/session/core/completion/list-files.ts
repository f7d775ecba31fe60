import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { childEnvironment } from "../../../proc/child-environment.ts";
import type { PipedChild } from "../../../proc/start-child.ts";
import { startChild } from "../../../proc/start-child.ts";
import { ClaudeCodeError } from "../../../wire/errors.ts";

/** A person waits for the answer. */
const GIT_MS = 2_000;
const WALK_MS = 500;

/** How much is listed. */
export interface ListLimits {
  readonly gitBytes: number;
  readonly walkedPaths: number;
}

/** Some 50,000 names of git. */
const defaultLimits: ListLimits = { gitBytes: 4_194_304, walkedPaths: 20_000 };

/** Nobody mentions what is in these, and they may be huge. */
const skipped: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** The files below a directory, by their paths relative to it. */
export interface FileList {
  readonly paths: readonly string[];
  /** False: there are too many to list, or it took too long. */
  readonly whole: boolean;
}

/**
 * The files below a directory: as git has them, without those that it ignores, or else all that can be found in a short
 * time. Links to other directories are not followed. @throws `cwd_not_found`.
 */
export async function listFiles(directory: string, limits = defaultLimits): Promise<FileList> {
  return (await gitFiles(directory, limits)) ?? (await walkFiles(directory, limits));
}

/** Undefined where git is not there, has no repository, or is too slow. */
async function gitFiles(
  directory: string,
  { gitBytes }: ListLimits,
): Promise<FileList | undefined> {
  const child = startGit(directory);
  if (!child) return undefined;
  child.process.stdin.end();
  child.process.stderr.resume();
  const timer = setTimeout(() => void child.stop().catch(() => {}), GIT_MS);
  try {
    const { bytes, whole } = await readStart(child.process.stdout, gitBytes);
    const { code } = await child.exited;
    if (whole && code !== 0) return undefined;
    const names = bytes.toString("utf8").split("\0");
    // What comes after the last zero byte is nothing, or the beginning of a name.
    names.pop();
    return { paths: names.filter(isText), whole };
  } finally {
    clearTimeout(timer);
  }
}

function startGit(directory: string): PipedChild | undefined {
  // A repository may name programs that git runs for it; listing files needs none of them.
  const quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  try {
    return startChild({
      command: "git",
      args: [...quiet, ...list],
      cwd: directory,
      env: { ...childEnvironment(), GIT_OPTIONAL_LOCKS: "0" },
    });
  } catch (error) {
    if (error instanceof ClaudeCodeError && error.code === "cwd_not_found") throw error;
    return undefined;
  }
}

async function readStart(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ bytes: Buffer; whole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop closes the pipe, and git ends.
    if (size > maxBytes) return { bytes: Buffer.concat(chunks), whole: false };
  }
  return { bytes: Buffer.concat(chunks), whole: true };
}

/** A name in another encoding cannot be written in a message. */
const isText = (name: string): boolean => !name.includes("\uFFFD");

async function walkFiles(root: string, { walkedPaths }: ListLimits): Promise<FileList> {
  const paths: string[] = [];
  const directories = [""];
  const endMs = performance.now() + WALK_MS;
  for (const directory of directories) {
    if (paths.length >= walkedPaths || performance.now() > endMs) return { paths, whole: false };
    const entries = await readdir(join(root, directory), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = `${directory}${entry.name}`;
      if (!isText(path)) continue;
      if (!entry.isDirectory()) paths.push(path);
      else if (!skipped.has(entry.name)) {
        directories.push(`${path}/`);
        paths.push(`${path}/`);
      }
    }
  }
  return { paths, whole: true };
}
