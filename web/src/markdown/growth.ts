import type { BlockNode } from "./blocks.ts";
import { WINDOW, WINDOW_LINES } from "./limits.ts";

/** The text from the beginning of the open block on. */
export interface Source {
  readonly text: string;
  /** The lines before this position are complete. */
  readonly lines: number;
  /** Nothing more comes. */
  readonly ended: boolean;
}

export type Step =
  /** More of the text can be taken at once. */
  | { readonly is: "more" }
  /** All of the text is taken. */
  | { readonly is: "waits" }
  /** The block ends before this position. If `plain`, what follows cannot be parsed in bounded time. */
  | { readonly is: "ended"; readonly at: number; readonly plain?: boolean };

/** A block that grows, and whose parts are final except for the last one. */
export interface Growth {
  /** Takes a bounded part of what has come. */
  readonly grow: (source: Source) => Step;
  readonly node: BlockNode;
  /** What follows the node, as it is written. */
  readonly rest: string;
}

/** Where a bounded number of complete lines ends: at least one, and at most 4 KB and 128 of them, or so many times that. */
export function windowEnd({ text, lines }: Source, from: number, times = 1): number {
  let at = from;
  for (let count = 0; at < lines && count < WINDOW_LINES * times; count++) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? lines : found + 1;
    if (end - from > WINDOW * times && at > from) break;
    at = end;
  }
  return at;
}
