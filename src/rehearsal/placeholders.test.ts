import { describe, expect, it } from "vitest";
import { fillAnswer } from "./placeholders.ts";
import { ScriptSchema } from "./script-schema.ts";

const facts = {
  agent: "boss",
  model: "claude-x",
  session: "s-1",
  user: "hi",
  peer: "",
  tool_result: "42 $1",
  turn: "3",
};

function fill(text: string, numbered: string[] = [], named: Record<string, string> = {}): string {
  return fillAnswer({ text }, { numbered, named }, facts).text ?? "";
}

function problems(rule: object): string[] {
  const { error } = ScriptSchema.safeParse({ rules: [rule] });
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("fillAnswer", () => {
  it("fills numbered groups, named groups and facts of the request", () => {
    expect(fill("$2 $1 ${what}: ${agent} ${turn}", ["one", "two"], { what: "x" })).toBe(
      "two one x: boss 3",
    );
  });

  it.each(["größe", "名前", "$", "_a$1", "𝒳", "a\u200db"])(
    "fills a group with the name %s",
    (name) => {
      expect(fill(`[\${${name}}]`, [], { [name]: "x" })).toBe("[x]");
      expect(problems({ when: { user: `/(?<${name}>.)/` }, text: `\${${name}}` })).toEqual([]);
      const unfilled = expect.stringContaining(`Nothing fills \${${name}}`) as unknown;
      expect(problems({ text: `\${${name}}` })).toEqual([unfilled]);
    },
  );

  it("reads $10 as the tenth group", () => {
    expect(fill("$10", "abcdefghij".split(""))).toBe("j");
  });

  it("prefers a rule's own group to a fact of the same name", () => {
    expect(fill("${user}", [], { user: "me" })).toBe("me");
  });

  it("fills in an empty group, and does not expand what it filled in", () => {
    expect(fill("[${peer}] ${tool_result}", ["group"])).toBe("[] 42 $1");
  });

  it("keeps dollar signs that are no placeholder, and makes one of two", () => {
    expect(fill("$HOME $(date) $$1 $${user}", ["one"])).toBe("$HOME $(date) $1 ${user}");
  });

  it("reaches every string in a tool's input, and nothing else", () => {
    const input = { a: ["$1", { b: "${agent}" }], n: 1, yes: true, none: null };
    const filled = fillAnswer(
      { thinking: "$1?", tools: [{ name: "Bash", input }] },
      { numbered: ["x"], named: {} },
      facts,
    );
    expect(filled).toEqual({
      thinking: "x?",
      tools: [{ name: "Bash", input: { a: ["x", { b: "boss" }], n: 1, yes: true, none: null } }],
    });
  });
});

describe("a script's placeholders", () => {
  it("may use the groups of every pattern of their rule", () => {
    const when = {
      user: "/(a)(?<b>b)/",
      tool_result: { name: "/(.*)/", text: "/(?<out>.*)/" },
    };
    expect(problems({ when, text: "$1 $2 $3 $4 ${b} ${out} ${tool_result}" })).toEqual([]);
  });

  it("are refused when nothing would fill them, with what there is and how to write a dollar sign", () => {
    expect(problems({ when: { user: "/(a)/" }, text: "costs $2" })).toEqual([
      "rules.0.text: Nothing fills $2: this rule has $1; by name there are ${agent}, ${model}, ${session}, ${user}, ${peer}, ${tool_result}, ${turn}. For the characters themselves write $$2.",
    ]);
    expect(problems({ tools: [{ name: "Bash", input: { command: "echo ${HOME}" } }] })).toEqual([
      expect.stringMatching(/^rules\.0\.tools\.0\.input\.command: Nothing fills \$\{HOME\}/),
    ]);
    expect(problems({ text: "$0" })).toHaveLength(1);
  });
});
