/** A text that is read one UTF-16 code unit at a time. */
export interface ReadableText {
  readonly length: number;
  charCodeAt(index: number): number;
}

/**
 * Whether the whole text matches the pattern, in which `*` stands for any characters, or for any but `barred` ones.
 * Reads each character of the text once, whatever the pattern: a model chooses the text.
 */
export function fitsWildcard(pattern: string, text: ReadableText, barred = ""): boolean {
  const [head = "", ...pieces] = pattern.split("*");
  const tail = pieces.pop();
  if (tail === undefined) return text.length === head.length && isAt(head, text, 0);
  const end = text.length - tail.length;
  if (end < head.length || !isAt(head, text, 0) || !isAt(tail, text, end)) return false;
  let at = head.length;
  for (const piece of pieces) {
    at = endOfFirst(piece, text, at, end, barred);
    if (at === NOWHERE) return false;
  }
  for (; at < end; at += 1) if (isBarred(text.charCodeAt(at), barred)) return false;
  return true;
}

const NOWHERE = -1;

const isBarred = (code: number, barred: string): boolean =>
  barred !== "" && barred.includes(String.fromCharCode(code));

function isAt(piece: string, text: ReadableText, from: number): boolean {
  for (let index = 0; index < piece.length; index += 1) {
    if (text.charCodeAt(from + index) !== piece.charCodeAt(index)) return false;
  }
  return true;
}

/**
 * Where the first occurrence of `piece` ends, with nothing barred before it (Knuth–Morris–Pratt). If the first
 * occurrence does not fit, no later one can: a barred character in the first would precede it.
 */
function endOfFirst(
  piece: string,
  text: ReadableText,
  from: number,
  end: number,
  barred: string,
): number {
  if (piece === "") return from;
  const shorter = borderLengths(piece);
  const harmless = lengthBeforeBarred(piece, barred);
  let fitting = 0;
  for (let at = from; at < end; at += 1) {
    const code = text.charCodeAt(at);
    while (fitting > 0 && piece.charCodeAt(fitting) !== code) {
      const next = shorter[fitting - 1] ?? 0;
      // What the occurrence leaves behind belongs to the `*` before it.
      if (fitting - next > harmless) return NOWHERE;
      fitting = next;
    }
    if (piece.charCodeAt(fitting) === code) fitting += 1;
    else if (isBarred(code, barred)) return NOWHERE;
    if (fitting === piece.length) return at + 1;
  }
  return NOWHERE;
}

/** For each prefix of the piece: the length of its longest suffix that is also a prefix. */
function borderLengths(piece: string): number[] {
  const lengths = [0];
  for (let index = 1, length = 0; index < piece.length; index += 1) {
    while (length > 0 && piece[index] !== piece[length]) length = lengths[length - 1] ?? 0;
    if (piece[index] === piece[length]) length += 1;
    lengths.push(length);
  }
  return lengths;
}

function lengthBeforeBarred(piece: string, barred: string): number {
  for (let index = 0; index < piece.length; index += 1) {
    if (isBarred(piece.charCodeAt(index), barred)) return index;
  }
  return piece.length;
}
