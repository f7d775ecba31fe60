import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { AnswerSchema } from "./answer-schema.ts";
import { loadScript, parseScript } from "./load-script.ts";
import type { ScriptFunction } from "./play-script.ts";
import type { RequestView } from "./request-view.ts";
import { ScriptSchema } from "./script-schema.ts";

const project = resolve(import.meta.dirname, "../..");
const guide = readFileSync(join(project, "docs/rehearsal.md"), "utf8");
const examples = join(project, "examples/rehearsal");

/** The names that begin the rows of the table, or the entries of the list, under a heading. */
function namesUnder(heading: string): string[] {
  const [, section = ""] = guide.split(`## ${heading}\n`);
  const [body = ""] = section.split(/\n## /);
  return [...body.matchAll(/^(?:\| (`[^|]*) \||- (`[^:]*):)/gm)]
    .map(([, cell, entry = ""]) => [entry, cell ?? entry])
    .flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)])
    .map(([, name = ""]) => name);
}

describe("the guide", () => {
  const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = ""]) => yaml);

  it("has examples that can be read", () => {
    expect(blocks.length).toBeGreaterThan(2);
    for (const yaml of blocks) expect(parseScript(yaml, "docs").rules.length).toBeGreaterThan(0);
  });

  it("has a function that can be loaded", async () => {
    const [, code = ""] = /```ts\n([\s\S]*?export default[\s\S]*?)```/.exec(guide) ?? [];
    const file = join(tempDir(), "script.ts");
    writeFileSync(file, code);
    const script = (await loadScript(file)) as ScriptFunction;
    const state = { turn: 1, memory: new Map<string, unknown>() };
    expect(await script({ user: "hi" } as RequestView, state)).toMatchObject({
      text: "You said: hi",
    });
    expect(state.memory.get("last")).toBe("hi");
  });

  it("lists every field of a script, every condition and every field of an answer", () => {
    const rule = ScriptSchema.shape.rules.unwrap().element.shape;
    expect(namesUnder("A script").toSorted()).toEqual(Object.keys(ScriptSchema.shape).toSorted());
    expect(namesUnder("When a rule fits").toSorted()).toEqual(
      Object.keys(rule.when.unwrap().shape).toSorted(),
    );
    expect(namesUnder("What a rule answers").toSorted()).toEqual(
      Object.keys(rule)
        .filter((name) => name !== "when")
        .toSorted(),
    );
  });

  it("lists faults that can be written that way", () => {
    const faults = namesUnder("Faults");
    const kinds = faults
      .map((fault) => parseScript(`default: { fault: ${fault} }`, "docs"))
      .map((script) => script.default?.fault?.kind);
    const { options } = AnswerSchema.shape.fault.unwrap();
    expect(kinds).toEqual(options.map(({ shape }) => shape.kind.value));
  });
});

describe("the examples", () => {
  it.each(readdirSync(examples))("%s can be read", (name) => {
    expect(parseScript(readFileSync(join(examples, name), "utf8"), name).name).toBeDefined();
  });
});
