import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { bundledVersion } from "../../../engine/cli.ts";
import type { LoggedTurn, MendedTranscript } from "../../../engine/recovery/index.ts";
import { mendTranscript, newTranscriptPath } from "../../../engine/recovery/index.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { makePrivateDirectory } from "../../log/make-private-directory.ts";

export interface TranscriptPlace {
  configDir: string;
  sessionId: string;
  cwd: string;
  model: string;
}

/** What has to be done to the CLI's transcript; nothing has been written yet. */
export interface RestorePlan {
  mended: Omit<MendedTranscript, "bytes">;
  /**
   * Replaces the file as a whole or not at all, and keeps the old one beside it. No CLI may run on it. Returns the path
   * of the previous file; undefined when there was none.
   *
   * @throws what the file system throws, for example while the disk is still full.
   */
  write(): string | undefined;
}

/** Returns undefined when nothing is missing in the transcript. */
export function planRestore(
  path: string | undefined,
  turns: readonly LoggedTurn[],
  place: TranscriptPlace,
  now = new Date(),
): RestorePlan | undefined {
  const { configDir, sessionId, cwd, model } = place;
  const file = path ?? newTranscriptPath(configDir, cwd, sessionId);
  const old = path === undefined ? undefined : readFileSync(path);
  const about = { sessionId, cwd, model, version: bundledVersion(), gitBranch: "HEAD" };
  const planned = mendTranscript(old, turns, about);
  if (!planned) return undefined;
  const { bytes, ...mended } = planned;
  return { mended, write: () => writeTranscript(file, bytes, old !== undefined, now) };
}

function writeTranscript(
  file: string,
  bytes: Buffer,
  hasOld: boolean,
  now: Date,
): string | undefined {
  if (!hasOld) {
    makePrivateDirectory(dirname(file));
    replaceFile(file, bytes, { durable: true });
    return undefined;
  }
  // Not `.jsonl`: the CLI takes every such file for a session.
  const copy = `${file}.before-${now.toISOString().replaceAll(/[:.]/g, "-")}`;
  try {
    copyFileSync(file, copy);
    replaceFile(file, bytes, { durable: true });
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
  return copy;
}
