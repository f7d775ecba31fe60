import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../files/system-error-code.ts";
import type { BlobRef } from "../../wire/blob.ts";
import { errorOf } from "../../wire/errors.ts";
import { encodeUtf8 } from "../../wire/utf8.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { makePrivateDirectory } from "./make-private-directory.ts";

const PREVIEW_CHARS = 1000;
/** Also prevents an id from leading out of the directory. */
const ID = /^[0-9a-f]{64}$/;

export interface BlobPart {
  /** Size of the whole payload. */
  bytes: number;
  offset: number;
  data: Uint8Array;
}

/**
 * Payloads too large for a line, each in a file named by its hash, so that a repeated payload is stored once. They
 * live as long as the log. A crash may leave one that no event refers to.
 */
export class BlobStore {
  readonly #directory: string;
  readonly #waiting = new Map<string, Uint8Array>();
  #heldBytes = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Bytes that only memory holds. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Stores it at the next `write`. */
  put(blob: string, bytes: Uint8Array): void {
    if (this.#waiting.has(blob)) return;
    this.#waiting.set(blob, bytes);
    this.#heldBytes += bytes.length;
  }

  /** Writes and syncs everything that waits, so that events may refer to it. Throws as writing does. */
  write(): void {
    for (const [blob, bytes] of this.#waiting) {
      const path = join(this.#directory, blob);
      makePrivateDirectory(this.#directory);
      if (sizeOf(path) !== bytes.length) replaceFile(path, bytes, { durable: true });
      this.#waiting.delete(blob);
      this.#heldBytes -= bytes.length;
    }
  }

  /** @throws `blob_not_found` */
  async read(blob: string, offset: number, limit = Number.POSITIVE_INFINITY): Promise<BlobPart> {
    if (!ID.test(blob)) throw notFound(blob);
    const path = join(this.#directory, blob);
    const bytes = sizeOf(path);
    if (bytes === undefined) throw notFound(blob);
    const file = await open(path);
    try {
      const data = new Uint8Array(Math.max(0, Math.min(limit, bytes - offset)));
      let filled = 0;
      while (filled < data.length) {
        const { bytesRead } = await file.read(data, filled, data.length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return { bytes, offset, data: data.subarray(0, filled) };
    } finally {
      await file.close();
    }
  }
}

/** The reference that replaces a payload in an event, and the payload's bytes. */
export function blobOf(payload: string): { ref: BlobRef; content: Uint8Array } {
  const content = encodeUtf8(payload);
  const blob = createHash("sha256").update(content).digest("hex");
  // Half of a surrogate pair would be invalid text.
  const preview = payload.slice(0, PREVIEW_CHARS).replace(/[\uD800-\uDBFF]$/, "");
  return { ref: { blob, bytes: content.length, preview }, content };
}

const notFound = (blob: string): Error =>
  errorOf("blob_not_found", `The log has no blob ${JSON.stringify(blob.slice(0, 100))}.`);

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
