import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SmallTerminal } from "../../../test/support/small-terminal.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { noPaint } from "./terminal-formats.ts";
import { RunningText } from "./running-text.ts";
import { Screen } from "./terminal-screen.ts";
import { TranscriptPrinter } from "./print-transcript.ts";

/** Words of all widths: letters of one column, of two, with marks upon them, and joined to one. */
const word = fc.oneof(
  fc.stringMatching(/^[a-z]{1,12}$/),
  fc.stringMatching(/^[a-z]{30,60}$/),
  fc.array(fc.constantFrom("漢", "字", "かな", "한"), { minLength: 1, maxLength: 30 }).map(joined),
  fc.constantFrom("👍", "👩‍👩‍👧‍👦", "🇩🇪", "e\u0301a\u0301", "❤\ufe0f", "ü", "–"),
);

const words = fc.array(word, { minLength: 1, maxLength: 40 }).map((each) => each.join(" "));
const paragraphs = fc.array(words, { minLength: 1, maxLength: 3 }).map((each) => each.join("\n"));

const fewWords = fc.array(word, { minLength: 1, maxLength: 15 }).map((each) => each.join(" "));
const marked = fc.oneof(
  fewWords,
  fewWords.map((text) => `**${text}**`),
  fewWords.map((text) => `*${text}*`),
  fewWords.map((text) => `\`${text}\``),
  fc.tuple(fewWords, word).map(([text, link]) => `[${text}](link${link})`),
  fc.constantFrom("**", "*", "`", "[", "](", "2 * 3", "_"),
);
const line = fc
  .tuple(
    fc.constantFrom("", "", "# ", "- ", "    - ", "12. ", "- [ ] ", "> ", "```", "---"),
    fc.array(marked, { minLength: 0, maxLength: 5 }),
  )
  .map(([lead, parts]) => lead + parts.join(" "));
const markdown = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n"));

function joined(parts: readonly string[]): string {
  return parts.join("");
}

/** How much of the text comes next, and how wide the terminal is then. */
const step = fc.record({
  share: fc.oneof(fc.integer({ min: 20, max: 120 }), fc.integer({ min: 1, max: 9 })),
  columns: fc.integer({ min: 20, max: 140 }),
  rows: fc.integer({ min: 9, max: 40 }),
});
const steps = fc.array(step, { minLength: 3, maxLength: 12 });

/** The text in pieces, cut anywhere, even within a letter. */
function* piecesOf<Step extends { share: number }>(
  text: string,
  each: readonly Step[],
): Generator<Step & { piece: string }> {
  let at = 0;
  for (let turn = 0; at < text.length; turn += 1) {
    const next = each[turn % each.length] as Step;
    yield { ...next, piece: text.slice(at, at + next.share) };
    at += next.share;
  }
}

const withoutSpace = (text: string): string => text.replaceAll(/[\s●]/gu, "");
const withoutMarks = (text: string): string => text.replaceAll(/[\s●*`#>•│☑☐\-[\]()_]/gu, "");

/** All rows of a text, each given out once, at the widths that the terminal had. */
function givenOut(text: string, each: readonly { share: number; columns: number }[]): string {
  let columns = 80;
  const running = new RunningText("text", noPaint, () => columns);
  const rows: string[] = [];
  for (const { piece, columns: next } of piecesOf(text, each)) {
    columns = next;
    rows.push(...running.push(piece).finished);
  }
  return [...rows, ...running.end()].join("\n");
}

/** What stands on a terminal and in its scroll-back, when it changes its size between the pieces. */
function onTerminal(
  text: string,
  each: readonly { share: number; columns: number; rows: number }[],
): string {
  const terminal = new SmallTerminal(80, 24);
  const screen = new Screen(terminal as unknown as NodeJS.WriteStream);
  const transcript = new TranscriptPrinter(noPaint, () => terminal.columns, false);
  const footer = { rows: ["", "status", "› "], row: 2, column: 2 };
  const take = (event: object): void => {
    const rows = transcript.take(event as SessionEvent);
    screen.show(rows.finished, rows.growing);
  };
  screen.setFooter(footer);
  for (const { piece, columns, rows } of piecesOf(text, each)) {
    terminal.resize(columns, rows);
    const anew = transcript.resize(screen.settle());
    screen.show(anew.finished, anew.growing);
    screen.setFooter(footer);
    take({ type: "text_delta", turn_id: "t", block: 0, text: piece });
  }
  take({ type: "usage" });
  screen.end();
  return terminal.text.join("\n");
}

test("RunningText prints every letter of a text once, at any width and in any pieces", () => {
  fc.assert(
    fc.property(paragraphs, steps, (text, each) => {
      expect(withoutSpace(givenOut(text, each))).toBe(withoutSpace(text));
    }),
  );
});

test("RunningText prints every word of Markdown once, at any width and in any pieces", () => {
  fc.assert(
    fc.property(markdown, steps, (text, each) => {
      expect(withoutMarks(givenOut(text, each))).toBe(withoutMarks(text));
    }),
  );
});

test("a terminal that is resized while a text arrives shows every letter of it once", () => {
  fc.assert(
    fc.property(paragraphs, steps, (text, each) => {
      expect(withoutSpace(onTerminal(text, each))).toBe(withoutSpace(text));
    }),
    { numRuns: 50 },
  );
});

test("a terminal that is resized while Markdown arrives shows every word of it once", () => {
  fc.assert(
    fc.property(markdown, steps, (text, each) => {
      expect(withoutMarks(onTerminal(text, each))).toBe(withoutMarks(text));
    }),
    { numRuns: 50 },
  );
});
