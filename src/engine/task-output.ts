import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { taskHome } from "./cli-temp.ts";

/** A piece of a command's output, and how many bytes before it were passed over. */
export interface OutputPiece {
  readonly text: string;
  readonly skippedBytes: number;
}

/**
 * What a running command prints. The CLI writes it to a file of its own and tells it only at the end; the
 * file is not documented, so nobody may count on it. Held open, because it goes away with the command.
 */
export class TaskOutput {
  readonly #file: number;
  readonly #decoder = new StringDecoder("utf8");
  #offset = 0;

  private constructor(file: number) {
    this.#file = file;
  }

  /** Undefined when this CLI has no such file for the task. */
  static open(
    environment: Readonly<Record<string, string>>,
    sessionId: string,
    taskId: string,
  ): TaskOutput | undefined {
    const home = taskHome(environment);
    for (const project of subfolders(home)) {
      const path = join(home, project, sessionId, "tasks", `${taskId}.output`);
      const file = openOwn(path);
      if (file !== undefined) return new TaskOutput(file);
    }
    return undefined;
  }

  /** What is new, but of that only the newest bytes. */
  read(maxBytes: number): OutputPiece {
    const { size } = fstatSync(this.#file);
    const skippedBytes = Math.max(0, size - this.#offset - maxBytes);
    if (skippedBytes > 0) {
      this.#offset += skippedBytes;
      this.#decoder.end();
    }
    const buffer = Buffer.alloc(Math.max(0, size - this.#offset));
    const length = readSync(this.#file, buffer, 0, buffer.length, this.#offset);
    this.#offset += length;
    const bytes = buffer.subarray(skippedBytes > 0 ? firstWhole(buffer) : 0, length);
    return { text: this.#decoder.write(bytes), skippedBytes };
  }

  close(): void {
    closeSync(this.#file);
  }
}

function subfolders(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** In a directory that others may write to: never through a link, and only a file of our own. */
function openOwn(path: string): number | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (stat.isFile() && stat.uid === process.getuid?.()) return file;
  } catch {
    // Not there, or not to be read: then there is nothing to show.
  }
  if (file !== undefined) closeSync(file);
  return undefined;
}

/** Where the first character begins whose beginning was not cut off. */
function firstWhole(bytes: Uint8Array): number {
  const start = bytes.subarray(0, 4).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, start);
}
