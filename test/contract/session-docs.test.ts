import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { toWire } from "../../src/wire/error-wire.ts";
import { parseSessionMessage } from "../../src/wire/session/answers.ts";
import { parseCommand, SessionCommandSchema } from "../../src/wire/session/commands.ts";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/protocol-session.md"), "utf8");
const rules = [...page.matchAll(/\*\*\[(SES-\d+)\]\*\*/g)].map(([, rule = ""]) => rule);

const examples = [...page.matchAll(/```jsonl\n([^]*?)```/g)].flatMap(([, block = ""]) =>
  block
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== ""),
);

const valueOf = (example: string | undefined): unknown => JSON.parse(example?.slice(2) ?? "");

test("every line of an example that a session sends is what the schema says", () => {
  const received = examples.filter((example) => example.startsWith("<"));
  expect(received.length).toBeGreaterThan(15);
  expect(received.filter((example) => !parseSessionMessage(valueOf(example)).ok)).toEqual([]);
});

test("every command of an example is right, but for one, which gets the answer below it", () => {
  const wrong = examples.flatMap((example, index) => {
    if (example.startsWith("<")) return [];
    const checked = parseCommand(valueOf(example));
    return checked.ok ? [] : [{ error: checked.error, answer: valueOf(examples[index + 1]) }];
  });
  const [only] = wrong;
  expect(wrong).toHaveLength(1);
  const { data: _, ...told } = toWire(only?.error);
  expect(only?.answer).toEqual({ type: "error", ref: "c1", ...told });
});

test("every command stands in the table", () => {
  const commands = SessionCommandSchema.options.map(({ shape }) => shape.type.value);
  expect(commands.filter((command) => !page.includes(`| \`${command}{`))).toEqual([]);
});

test("rules are numbered without gaps, each is shown by a test, and no test shows one that is not there", () => {
  const numbers = rules.map((rule) => Number(rule.slice(4))).toSorted((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  const cited = new Set(titlesOfTests().flatMap((title) => title.match(/SES-\d+/g) ?? []));
  expect({
    notShown: rules.filter((rule) => !cited.has(rule)),
    unknown: [...cited].filter((rule) => !rules.includes(rule)),
  }).toEqual({ notShown: [], unknown: [] });
});

/** Titles are strings that begin with the number of a rule. */
function titlesOfTests(): string[] {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => join(root, folder, name)),
  );
  return files.flatMap((file) => readFileSync(file, "utf8").match(/["`]\[SES-\d+\][^"`]*/g) ?? []);
}
