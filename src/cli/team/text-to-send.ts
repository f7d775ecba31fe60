import { readFile } from "node:fs/promises";
import { buffer as readAll } from "node:stream/consumers";
import { describeFileError } from "../../files/describe-file-error.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";

/** The argument for standard input. */
const STDIN = "-";

/**
 * A person's message to the team: from an argument, standard input or a file.
 *
 * @throws `invalid_params` when there is none, or two.
 */
export async function spokenText(given: string | undefined, file?: string): Promise<string> {
  if (given !== undefined && file !== undefined) {
    throw errorOf("invalid_params", "Both a text and a file were given.", {
      hint: "Give one of them.",
    });
  }
  const said = file === undefined ? await saidIn(given) : await readText(file);
  if (said.trim() !== "") return said;
  const what = file ?? (given === STDIN ? "Standard input" : "The text");
  throw errorOf("invalid_params", `${what} is empty.`, { hint: "Say something." });
}

async function saidIn(given: string | undefined): Promise<string> {
  if (given === STDIN) return utf8("Standard input", await readAll(process.stdin));
  if (given !== undefined) return given;
  throw errorOf("invalid_params", "There is nothing to send.", {
    hint: "Give the text as an argument, with --file FILE, or with - on standard input.",
  });
}

async function readText(file: string): Promise<string> {
  try {
    return utf8(file, await readFile(file));
  } catch (cause) {
    if (cause instanceof ClaudeCodeError) throw cause;
    throw errorOf("invalid_params", `${file}: ${describeFileError(cause)}.`, {
      cause,
      hint: "Name a file that exists and that you may read.",
    });
  }
}

/** What is not UTF-8 would reach the model with its letters replaced. */
function utf8(source: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw errorOf("invalid_params", `${source} is not UTF-8 text.`, {
      cause,
      hint: "Convert it first, for example with: iconv -f ISO-8859-1 -t UTF-8",
    });
  }
}
