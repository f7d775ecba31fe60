import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(resolve(root, "docs/what-survives.md"), "utf8");

const labelsIn = (text: string): string[] =>
  [...text.matchAll(/\[([a-z][a-z-]*)\]/g)].map(([, label = ""]) => label);

type Section = { readonly title: string; readonly text: string };

/** The `###` sections of the chapter with this title. */
function sectionsOf(chapter: string): Section[] {
  const found = page.split(/^## /m).find((each) => each.startsWith(`${chapter}\n`)) ?? "";
  return found
    .split(/^### /m)
    .slice(1)
    .map((section) => {
      const end = section.indexOf("\n");
      return { title: section.slice(0, end), text: section.slice(end) };
    });
}

/** What survives, by section: the text of each way to die. */
const claims = sectionsOf("When something dies")
  .slice(0, -1)
  .map(({ title, text }) => ({
    title,
    entries: [...text.matchAll(/^- \*\*([^*]+)\*\*: ((?:.|\n(?!- |\n))*)/gm)].map(
      ([, death = "", claim = ""]) => ({ death, claim }),
    ),
  }));

const troubles = sectionsOf("Troubles of a session");

const cited = [...page.matchAll(/^- \[([a-z-]+)\] `([^`]+)`: (.+)$/gm)].map(
  ([, label = "", file = "", title = ""]) => ({ label, file, title }),
);

/** A claim in words with the label of a test, or the word that no test shows it. */
const isCited = (claim: string): boolean => /\w[^]*\[[a-z][a-z-]*\]|^Not proven/.test(claim);

test("what-survives.md has a section for each thing, with an entry for each way to die", () => {
  expect(claims.map(({ title }) => title)).toEqual([
    "A message to a session",
    "An approval",
    "A grant",
    "A turn",
    "A tool call",
    "The cost",
    "A message between agents",
    "A call that waits for an answer",
    "A task",
  ]);
  const deaths = ["Client gone", "CLI killed", "Host killed", "Team killed", "Power lost"];
  for (const { title, entries } of claims) {
    expect([title, ...entries.map(({ death }) => death)]).toEqual([title, ...deaths]);
  }
});

test("every entry of what-survives.md cites a test, or says that it is not proven", () => {
  const entries = claims.flatMap((section) => section.entries.map(({ claim }) => claim));
  expect(entries.filter((claim) => !isCited(claim))).toEqual([]);
});

test("every trouble of what-survives.md has an outcome and cites a test", () => {
  expect(troubles).toHaveLength(17);
  expect(troubles.filter(({ text }) => !isCited(text))).toEqual([]);
});

test("what-survives.md lists exactly the tests that its sections cite", () => {
  const texts = [
    ...claims.flatMap(({ entries }) => entries.map(({ claim }) => claim)),
    ...troubles.map(({ text }) => text),
  ];
  const labels = cited.map(({ label }) => label);
  expect(new Set(texts.flatMap(labelsIn))).toEqual(new Set(labels));
  expect(new Set(labels).size).toBe(labels.length);
});

test("no line of what-survives.md is longer than 300 characters", () => {
  expect(page.split("\n").filter((line) => line.length > 300)).toEqual([]);
});

test.each(cited)("[$label] cites a test that $file has", ({ file, title }) => {
  expect(readFileSync(resolve(root, file), "utf8")).toContain(`"${title}"`);
});
