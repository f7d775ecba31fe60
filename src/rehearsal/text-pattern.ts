import * as z from "zod";

/** `/…/` with flags. The last slash ends it, so slashes inside need no escape. */
const regexForm = /^\/(?<source>.+)\/(?<flags>[dgimsuvy]*)$/s;

/**
 * With characters that no path has, it is meant as a regular expression whatever follows: the flags are then wrong.
 */
const wrongFlagsForm = /^\/(?<source>.*[$()*+?[\\\]^{|}].*)\/(?<flags>[a-z]+)$/is;

/** How a script describes text: plain words, or a regular expression between slashes. */
export const PatternSchema = z
  .string()
  .min(1)
  .superRefine((pattern, context) => {
    try {
      compilePattern(pattern);
    } catch (error) {
      const message = error instanceof Error ? error.message : pattern;
      // Nothing that uses the pattern may be checked after this.
      context.addIssue({ code: "custom", message, continue: false });
    }
  });

/** The regular expression of a pattern; undefined for plain words. */
function compilePattern(pattern: string): RegExp | undefined {
  const form = regexForm.exec(pattern) ?? wrongFlagsForm.exec(pattern);
  const { source = "", flags = "" } = form?.groups ?? {};
  if (source === "") return undefined;
  // "g" has no meaning here, and "y" would require a match at the very beginning.
  return new RegExp(source, flags.replaceAll(/[gy]/g, ""));
}

export interface Captures {
  /** `$1`, `$2`, … A group that did not take part is empty. */
  numbered: string[];
  named: Record<string, string>;
}

/** The captured groups when the text matches; otherwise undefined. Plain words capture nothing. */
export function matchPattern(
  pattern: string,
  text: string,
  plainWords: "contained" | "equal",
): Captures | undefined {
  const regex = compilePattern(pattern);
  if (regex) return capturesOf(regex.exec(text));
  const matches = plainWords === "equal" ? text === pattern : hasWords(text, pattern);
  return matches ? { numbered: [], named: {} } : undefined;
}

/** Letters of scripts that put spaces between words; in others a word may be anywhere. */
const letter = String.raw`[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_]`;
const [opensWithLetter, endsWithLetter] = [
  new RegExp(`^${letter}`, "u"),
  new RegExp(`${letter}$`, "u"),
];

/** Whole words only: "hi" is not in "nothing". */
function hasWords(text: string, words: string): boolean {
  const before = opensWithLetter.test(words) ? `(?<!${letter})` : "";
  const after = endsWithLetter.test(words) ? `(?!${letter})` : "";
  const literal = words.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return new RegExp(`${before}${literal}${after}`, "u").test(text);
}

/** How many groups these patterns have together, and the names among them. */
export function groupsOf(patterns: string[]): { count: number; names: string[] } {
  const all = patterns.map((pattern) => {
    const regex = compilePattern(pattern);
    // An empty alternative always matches, and its result lists every group.
    return regex && capturesOf(new RegExp(`${regex.source}|`, regex.flags).exec(""));
  });
  return {
    count: all.reduce((sum, captures) => sum + (captures?.numbered.length ?? 0), 0),
    names: all.flatMap((captures) => Object.keys(captures?.named ?? {})),
  };
}

function capturesOf(found: RegExpExecArray | null): Captures | undefined {
  if (!found) return undefined;
  const named = Object.entries(found.groups ?? {}).map(([name, group]) => [name, group ?? ""]);
  return {
    numbered: found.slice(1).map((group) => group ?? ""),
    named: Object.fromEntries(named) as Record<string, string>,
  };
}
