import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { ClaudeCodeError } from "../wire/errors.ts";
import { checkScript, loadScript, parseScript } from "./load-script.ts";

function refusal(yamlText: string): ClaudeCodeError {
  try {
    parseScript(yamlText, "team.yaml");
  } catch (error) {
    if (error instanceof ClaudeCodeError) return error;
  }
  throw new Error("The script was accepted.");
}

const twoRules = (first: string, second: string): string => `rules:\n  - ${first}\n  - ${second}\n`;

const tenOf = (anchor: string): string => Array.from({ length: 10 }, () => `*${anchor}`).join(", ");

describe("parseScript", () => {
  it("fills in what a script leaves out", () => {
    const script = parseScript(
      `
      rules:
        - when: { tool_result: Bash }
          text: done
        - tools: [{ name: Read }]
      `,
      "x",
    );
    expect(script).toEqual({
      rules: [
        { when: { tool_result: { name: "Bash" } }, text: "done" },
        { when: {}, tools: [{ name: "Read", input: {} }] },
      ],
    });
  });

  it("refuses a script with neither rules nor a default, unless it is marked as empty", () => {
    for (const blank of ["", "# nothing yet\n", "name: a\n"]) {
      expect(refusal(blank).message).toMatch(
        /^team\.yaml:1:1: There are neither rules nor a default/,
      );
    }
    expect(parseScript("rules: []", "x")).toEqual({ rules: [] });
    expect(parseScript("default: { text: a }", "x")).toMatchObject({ rules: [] });
  });

  it("refuses a tag and a directive that it does not know", () => {
    expect(refusal("rules:\n  - text: !!js/function 'x'\n").message).toMatch(
      /^team\.yaml:2:11: Unresolved tag: \S*js\/function/,
    );
    expect(refusal("%FOO bar\n---\nrules: []\n").message).toMatch(
      /^team\.yaml:1:1: Unknown directive %FOO/,
    );
  });

  it("reports wrong flags of a regular expression where it stands", () => {
    expect(refusal("rules:\n  - when: { user: '/^a+/ix' }\n    text: a\n").message).toMatch(
      /^team\.yaml:2:13: rules\[0\]\.when\.user: Invalid flags .*'ix'/,
    );
  });

  it("points at an unknown field by its name and lists the known ones", () => {
    const error = refusal("rules:\n  - when: { user: hi }\n    txt: hello\n    text: hello\n");
    expect(error.code).toBe("script_invalid");
    expect(error.message).toMatch(
      /^team\.yaml:3:5: rules\[0\]: Unknown field "txt"\. Did you mean text\? Known here: when, times, /,
    );
    expect(error.data).toMatchObject({
      file: "team.yaml",
      issues: [{ line: 3, column: 5, path: "rules[0]" }],
    });
  });

  it("advises quotes when a comma has cut a text in two", () => {
    expect(refusal("rules:\n  - when: { user: /yes, please/ }\n    text: a\n").message).toMatch(
      /^team\.yaml:2:25: rules\[0\]\.when: Unknown field "please\/"\. A text with a comma inside \{ \} needs quotes\./,
    );
  });

  it("points at each placeholder that nothing fills, also in the name of a tool", () => {
    const script = "rules:\n  - text: $1 ${x}\n    tools: [{ name: '${y}' }]\n";
    expect(refusal(script).message.split("\n")).toEqual([
      expect.stringMatching(/^team\.yaml:2:5: rules\[0\]\.text: Nothing fills \$1/),
      expect.stringMatching(/^team\.yaml:2:5: rules\[0\]\.text: Nothing fills \$\{x\}/),
      expect.stringMatching(
        /^team\.yaml:3:\d+: rules\[0\]\.tools\[0\]\.name: Nothing fills \$\{y\}/,
      ),
    ]);
  });

  it("refuses a rule that stands behind one without conditions", () => {
    const [all, hi] = ["{ text: a }", "{ when: { user: hi }, text: b }"];
    expect(refusal(twoRules(all, hi)).message).toMatch(
      /^team\.yaml:3:5: rules\[1\]: This rule is never used: rules\[0\] fits every request\./,
    );
    for (const [first, second] of [
      [hi, all],
      ["{ times: 1, text: a }", hi],
      [all, "{ when: { kind: side }, text: b }"],
    ] as const) {
      expect(parseScript(twoRules(first, second), "x").rules).toHaveLength(2);
    }
  });

  it("points into nested conditions", () => {
    const error = refusal(
      "rules:\n  - when:\n      tool_result:\n        name: Bash\n        txt: x\n    text: a\n",
    );
    expect(error.message).toBe(
      'team.yaml:5:9: rules[0].when.tool_result: Unknown field "txt". Did you mean text? Known here: name, text, is_error.',
    );
  });

  it("reports a broken regular expression where it stands", () => {
    expect(refusal("rules:\n  - when: { agent: a, user: '/(/' }\n    text: a\n").message).toMatch(
      /^team\.yaml:2:23: rules\[0\]\.when\.user: Invalid regular expression/,
    );
  });

  it("reports a placeholder that nothing fills where it stands", () => {
    expect(
      refusal(
        "rules:\n  - tools:\n      - name: Bash\n        input:\n          command: echo $1\n",
      ).message,
    ).toMatch(/^team\.yaml:5:11: rules\[0\]\.tools\[0\]\.input\.command: Nothing fills \$1/);
  });

  it("reports broken YAML with its place", () => {
    expect(refusal("rules:\n  - text: [a\n").message).toMatch(/^team\.yaml:3:1: /);
    expect(refusal("name: a\nname: b\n").message).toMatch(
      /^team\.yaml:2:1: Map keys must be unique/,
    );
  });

  it("reports an alias that stands for nothing with its place", () => {
    const error = refusal("rules:\n  - when: { user: *hello }\n    text: a\n");
    expect(error.message).toMatch(/^team\.yaml:2:19: [^\n]*hello/);
    expect(error.hint).toContain("Correct the YAML there");
    expect(error.data).toMatchObject({ issues: [{ line: 2, column: 19 }] });
  });

  it("reports aliases that would make it too large", () => {
    const error = refusal(
      `a: &a [1]\nb: &b [${tenOf("a")}]\nc: &c [${tenOf("b")}]\nd: [${tenOf("c")}]`,
    );
    expect(error.message).toMatch(/^team\.yaml:1:1: Excessive alias count/);
  });

  it("knows the usual mistake with braces in braces", () => {
    const error = refusal("rules:\n  - { text: Hello ${user} }\n  - { text: b }\n");
    expect(error.message).toMatch(/^team\.yaml:2:20: [^\n]*$/);
    expect(error.hint).toContain("needs quotes");
  });

  it("reports everything that is wrong at once", () => {
    const { message } = refusal("seed: x\nrules:\n  - text: 5\n  - fault: { kind: crash }\n");
    expect(message.split("\n").map((line) => line.split(" ")[0])).toEqual([
      "team.yaml:1:1:",
      "team.yaml:3:5:",
      "team.yaml:4:14:",
    ]);
  });

  it.each([
    ["delay_ms: soon", /Expected milliseconds/],
    ["delay_ms: [5, 1]", /must not be the larger/],
    ["delay_ms: [1, 2, 3]", /Expected milliseconds|Too big/],
    ["rules: [{ when: { user: hi } }]", /answers nothing/],
    ["rules: [{ text: a, fault: { kind: http } }]", /fault\.status/],
    ["rules: [{ text: a, fault: { status: 529 } }]", /kinds are http/],
    ["rules: [{ text: a, when: { turn: 0 } }]", /turn/],
    ["rules: [{ text: a, when: { tool_result: { name: 5 } } }]", /tool_result\.name: .* string/],
    ["rules: [{ text: a, when: { tool_result: 5 } }]", /tool_result: Expected the tool's name/],
    ["rules: hello", /rules: Invalid input: expected array/],
    ["hello", /expected object/],
  ])("refuses %s", (yamlText, reason) => {
    expect(refusal(yamlText).message).toMatch(reason);
  });
});

describe("checkScript", () => {
  it("refuses a wrong script in code too, without a position", () => {
    expect(() => checkScript({ rules: [{}] })).toThrow(
      "script: rules[0]: This rule answers nothing.",
    );
  });
});

describe("loadScript", () => {
  it("reads YAML and names the file in what it refuses", async () => {
    const file = join(tempDir(), "a.yaml");
    await writeFile(file, "name: a\nrules: []\n");
    await expect(loadScript(file)).resolves.toEqual({ name: "a", rules: [] });
    await writeFile(file, "nam: a\n");
    await expect(loadScript(file)).rejects.toThrow(`${file}:1:1: Unknown field "nam"`);
  });

  it("refuses what is not UTF-8, with its place, and knows it from what only looks so", async () => {
    const file = join(tempDir(), "a.yaml");
    const good = Buffer.from("# ü\uFFFD\ndefault: { text: ü\uFFFD");
    await writeFile(file, Buffer.concat([good, Buffer.from([0xfc]), Buffer.from(" }\n")]));
    await expect(loadScript(file)).rejects.toThrow(`${file}:2:20: This is not UTF-8.`);
    await writeFile(file, Buffer.concat([good, Buffer.from(" }\n")]));
    await expect(loadScript(file)).resolves.toMatchObject({ default: { text: "ü\uFFFD" } });
  });

  it("imports a function from a TypeScript module", async () => {
    const directory = tempDir();
    const good = join(directory, "good.ts");
    await writeFile(good, "export default (): { text: string } => ({ text: 'hi' });\n");
    await expect(loadScript(good)).resolves.toBeTypeOf("function");
    const bad = join(directory, "bad.ts");
    await writeFile(bad, "export const script = 1;\n");
    await expect(loadScript(bad)).rejects.toThrow("no function as its default export");
  });

  it("says which file it could not read", async () => {
    const file = join(tempDir(), "absent.yaml");
    await expect(loadScript(file)).rejects.toMatchObject({
      code: "script_invalid",
      message: expect.stringContaining(file) as string,
    });
  });
});
