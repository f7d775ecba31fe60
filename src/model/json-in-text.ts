import type { JsonValue } from "../wire/json.ts";

/**
 * The objects in a text, likeliest first: the whole text, the content of a fence, or from the first brace to its
 * match.
 */
export function jsonIn(text: string): JsonValue[] {
  const fenced = [...text.matchAll(/```(?:json)?\s*\n([^]*?)```/g)].map(
    ([, inside = ""]) => inside,
  );
  const found: JsonValue[] = [];
  for (const piece of [text, ...fenced, ...balancedObjects(text)]) {
    const value = parse(piece.trim());
    if (typeof value === "object" && value !== null) found.push(value);
  }
  return found;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** From each outer brace to its match; braces in strings do not count. */
function balancedObjects(text: string): string[] {
  const pieces: string[] = [];
  let start = text.indexOf("{");
  while (start >= 0) {
    const end = endOfObject(text, start);
    if (end < 0) break;
    pieces.push(text.slice(start, end));
    start = text.indexOf("{", end);
  }
  return pieces;
}

function endOfObject(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth += 1;
    else if (character === "}" && --depth === 0) return at + 1;
  }
  return -1;
}
