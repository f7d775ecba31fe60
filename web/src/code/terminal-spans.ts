import Anser from "anser";
import { ERASE } from "./terminal-escapes.ts";

export type Decoration = "bold" | "dim" | "italic" | "underline" | "strikethrough";

/** A colour of the terminal's sixteen by its name, or any other as the browser writes it. */
export type Colour =
  | { readonly is: "named"; readonly name: string }
  | { readonly is: "value"; readonly value: string };

export interface Span {
  readonly text: string;
  readonly colour?: Colour;
  readonly ground?: Colour;
  readonly decorations?: readonly Decoration[];
}

const decorations = new Set<string>(["bold", "dim", "italic", "underline", "strikethrough"]);

/** One line of a terminal's text as it stands there in the end: what came after a carriage return is written over it. */
export function spansOf(line: string): Span[] {
  const chunks = Anser.ansiToJson(line, { json: true, remove_empty: true, use_classes: true });
  const spans = chunks.map(spanOf).filter(({ text }) => text !== "");
  return /[\r\b]/.test(line) || line.includes(ERASE) ? overwritten(spans) : spans;
}

function spanOf(entry: Anser.AnserJsonEntry): Span {
  const known = entry.decorations.filter((name): name is Decoration => decorations.has(name));
  const colour = colourOf(entry.fg, entry.fg_truecolor);
  const ground = colourOf(entry.bg, entry.bg_truecolor);
  return {
    text: entry.content,
    ...(colour && { colour }),
    ...(ground && { ground }),
    ...(known.length > 0 && { decorations: [...new Set(known)] }),
  };
}

function colourOf(name: string | null, value: string | null): Colour | undefined {
  if (name === null) return undefined;
  if (name === "ansi-truecolor") return { is: "value", value: `rgb(${value ?? ""})` };
  const palette = /^ansi-palette-(\d+)$/.exec(name)?.[1];
  return palette === undefined
    ? { is: "named", name: name.replace(/^ansi-/, "") }
    : { is: "value", value: paletteColour(Number(palette)) };
}

/** The 256 colours after the first sixteen: a cube of six steps a side, then 24 greys. */
function paletteColour(index: number): string {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey}, ${grey}, ${grey})`;
  }
  const at = Math.max(0, index - 16);
  return `rgb(${step(Math.floor(at / 36))}, ${step(Math.floor(at / 6) % 6)}, ${step(at % 6)})`;
}

const step = (value: number): number => (value === 0 ? 0 : 55 + value * 40);

function overwritten(spans: readonly Span[]): Span[] {
  const cells: { readonly character: string; readonly span: Span }[] = [];
  let column = 0;
  for (const span of spans) {
    for (const character of span.text) {
      if (character === "\r") column = 0;
      else if (character === "\b") column = Math.max(0, column - 1);
      else if (character === ERASE) cells.length = Math.min(cells.length, column);
      else cells[column++] = { character, span };
    }
  }
  const result: Span[] = [];
  let last: Span | undefined;
  for (const { character, span } of cells) {
    const before = result.at(-1);
    if (before !== undefined && span === last) {
      result[result.length - 1] = { ...before, text: before.text + character };
    } else {
      result.push({ ...span, text: character });
    }
    last = span;
  }
  return result;
}
