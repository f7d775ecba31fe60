const MAX_CHARS = 8192;

export interface CutText {
  readonly head: string;
  readonly tail: string;
  readonly omitted: number;
}

/** The two ends of a text that is too long to be shown whole; undefined when it is not. */
export function cutText(text: string, max = MAX_CHARS): CutText | undefined {
  if (text.length <= max) return undefined;
  const half = Math.floor(max / 2);
  const head = whole(text.slice(0, half), "end");
  const tail = whole(text.slice(-half), "begin");
  return { head, tail, omitted: text.length - head.length - tail.length };
}

/** Without half of a character. */
function whole(part: string, cutAt: "begin" | "end"): string {
  if (cutAt === "end") return /[\uD800-\uDBFF]$/.test(part) ? part.slice(0, -1) : part;
  return /^[\uDC00-\uDFFF]/.test(part) ? part.slice(1) : part;
}
