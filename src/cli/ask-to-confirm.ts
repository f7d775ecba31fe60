import { once } from "node:events";

/** The two ends of a terminal. */
interface Terminal {
  readonly input: NodeJS.ReadableStream & { isTTY?: boolean; destroy(): unknown };
  readonly output: NodeJS.WritableStream & { isTTY?: boolean };
}

/** Asks a person on the terminal; anything but a yes is a no. Undefined where there is no person to ask. */
export async function confirm(
  question: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean | undefined> {
  if (!input.isTTY || !output.isTTY) return undefined;
  output.write(`${question} [y/N] `);
  try {
    const [line] = await Promise.race([once(input, "data"), once(input, "end")]);
    return /^y(?:es)?$/i.test(String(line ?? "").trim());
  } finally {
    // An input that is still open would keep this process.
    input.destroy();
  }
}
