import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { taskHome } from "./claude-temp-files.ts";
import { firstCharacter } from "../text/cut-bytes.ts";

/** A piece of a command's output, and how many bytes before it were skipped. */
export interface OutputPiece {
  readonly text: string;
  readonly skippedBytes: number;
}

/**
 * The output of a running command. The CLI writes it to a file and reports it only at the end; the file is
 * undocumented, so callers must do without it. Kept open, because it is removed with the command.
 */
export class TaskOutput {
  readonly #file: number;
  readonly #decoder = new StringDecoder("utf8");
  #offset = 0;

  private constructor(file: number) {
    this.#file = file;
  }

  /** Returns undefined when this CLI has no such file for the task. */
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

  /** The newest bytes of what was added. */
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
    const bytes = buffer.subarray(skippedBytes > 0 ? firstCharacter(buffer) : 0, length);
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

/** Other users may write to the directory: never follows a link, and opens only our own files. */
function openOwn(path: string): number | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (stat.isFile() && stat.uid === process.getuid?.()) return file;
  } catch {
    // Missing or unreadable: there is nothing to show.
  }
  if (file !== undefined) closeSync(file);
  return undefined;
}
