import type { Readable } from "node:stream";
import { settlesWithin } from "../../time/time-limit.ts";
import { LineSplitter } from "../../wire/lines.ts";
import { decodeUtf8 } from "../../wire/utf8.ts";
import { isForWatchers } from "./own-commands.ts";
import type { Elsewhere } from "./observer-rows.ts";
import { onlyWatched } from "./observer-rows.ts";

/** The lines of an input; also a last one that has no end. */
export async function* linesOf(input: AsyncIterable<unknown>): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  for await (const chunk of input) yield* whole(splitter.push(chunk as Uint8Array));
  yield* whole(splitter.push(new Uint8Array([0x0a])));
}

function* whole(splits: ReturnType<LineSplitter["push"]>): Generator<string> {
  for (const split of splits) {
    if (!split.ok) throw split.error;
    yield decodeUtf8(split.bytes);
  }
}

/**
 * Reads what was entered for a session that does not run, before anything is shown of it: a message would get no answer.
 *
 * @param silenceMs how long the end of the input is waited for: a program that started this one may leave it open and never
 * write to it. Without it, however long it takes.
 * @returns the lines that are for this program itself. @throws `read_only` at the first other line.
 */
export async function linesForLog(
  input: Readable,
  elsewhere: Elsewhere,
  silenceMs?: number,
): Promise<string[]> {
  const lines: string[] = [];
  const reading = (async () => {
    for await (const line of linesOf(input)) {
      if (line.trim() === "") continue;
      if (!isForWatchers(line)) throw onlyWatched(elsewhere);
      lines.push(line);
    }
  })();
  if (silenceMs === undefined || (await settlesWithin(reading, silenceMs))) await reading;
  return lines;
}
