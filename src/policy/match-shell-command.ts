import { fitsWildcard } from "./match-wildcard.ts";

/** Characters that join shell commands. */
const JOINING = ";&|`$<>\n";

/**
 * A pattern for a command must not admit a second command: it matches a text with shell operators only where the
 * pattern itself names them.
 */
export const allows = (pattern: string, text: string): boolean =>
  fitsWildcard(pattern, text, pattern === "*" ? "" : JOINING);

/** Where a shell may begin another command. */
const JOINTS = /[;&|`$<>(){}!\n]|\b(?:then|do|else)\s/;

/** Text before or after a command does not make it harmless: each part of the text counts. */
export const holdsBack = (pattern: string, text: string): boolean =>
  [text, ...text.split(JOINTS).map((part) => part.trim())].some((part) =>
    fitsWildcard(pattern, part),
  );
