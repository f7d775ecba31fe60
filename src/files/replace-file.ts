import {
  closeSync,
  constants,
  fdatasyncSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

export interface ReplaceOptions {
  /** Survives a power loss: content and name are on the disk when the call returns. */
  durable: boolean;
  /** Permissions of the new file; by default only its owner may read and write it. */
  mode?: number;
  /** Where the content is written first; by default `<path>.tmp`. Several writers of one file need a draft each. */
  draft?: string;
}

const PRIVATE_FILE = 0o600;
/** A link that lies in the draft's place is not followed. */
const DRAFT_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/**
 * Replaces a file in one step: a reader finds the old content or the new one, also after a crash. When it throws, the
 * old file is as it was and no draft is left.
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  { durable, mode = PRIVATE_FILE, draft = `${path}.tmp` }: ReplaceOptions,
): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  try {
    const fd = openSync(draft, DRAFT_FLAGS, mode);
    try {
      writeAll(fd, bytes, 0);
      if (durable) fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
    if (durable) syncDirectory(dirname(path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Writes all of it: the system may take only a part at a time. */
export function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(fd, bytes, written, bytes.length - written, position + written);
  }
}

/** Makes names that were created, changed or removed in a directory survive a power loss. */
export function syncDirectory(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
