import type { StoredText } from "../../wire/blob.ts";
import { errorOf } from "../../wire/errors.ts";

/** The outputs of tools that a screen shows in one line, numbered so that a person can request the whole. */
export class ToolOutputs {
  readonly #outputs: StoredText[] = [];

  /** The number of the output. */
  add(output: StoredText): number {
    return this.#outputs.push(output);
  }

  /** @throws `invalid_params` when there is no output with this number. */
  get(number: number = this.#outputs.length): StoredText {
    const output = this.#outputs[number - 1];
    if (output !== undefined) return output;
    const count = this.#outputs.length;
    if (count === 0) {
      throw errorOf("invalid_params", "Nothing is folded.", {
        hint: "Every output of a tool so far is shown in full.",
      });
    }
    throw errorOf("invalid_params", `There is no folded output ${number}.`, {
      hint: `Give a number from 1 to ${count}, as it stands beside the output.`,
    });
  }
}

/** The whole output; `fetch` loads blobs. */
export async function wholeOutput(
  output: StoredText,
  fetch: (blob: string) => Promise<Uint8Array>,
): Promise<string> {
  if (typeof output === "string") return output;
  return new TextDecoder().decode(await fetch(output.blob));
}
