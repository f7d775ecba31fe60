import { expect, test } from "vitest";
import { issueLine } from "../../yaml/file-issue.ts";
import { readSubagent } from "./read-subagent.ts";

function read(text: string) {
  const result = readSubagent(text);
  if (!result.ok) throw new Error(result.issues.map((issue) => issueLine("a.md", issue)).join(" "));
  return result.subagent;
}

const warningsOf = (text: string): string[] =>
  read(text).warnings.map((issue) => issueLine("a.md", issue));

const plain = "---\nname: tester\ndescription: tests\n---\nYou test.\n";

test("readSubagent takes the fields that Claude Code has, and the text below them as the prompt", () => {
  const text = `---
name: tester
description: tests
tools: Read, Bash(git log *, git diff *), mcp__shop__buy
disallowedTools: [WebFetch, WebSearch]
model: haiku
permissionMode: plan
skills: [style, safety]
color: blue
---

You test.

---
And you report.
`;
  expect(read(text)).toMatchObject({
    name: "tester",
    description: "tests",
    tools: ["Read", "Bash(git log *, git diff *)", "mcp__shop__buy"],
    disallowedTools: ["WebFetch", "WebSearch"],
    model: "haiku",
    permissionMode: "plan",
    skills: ["style", "safety"],
    prompt: "You test.\n\n---\nAnd you report.",
    warnings: [],
  });
});

test("readSubagent takes a file with CRLF and a byte order mark", () => {
  expect(read(`\uFEFF${plain.replaceAll("\n", "\r\n")}`)).toMatchObject({
    name: "tester",
    prompt: "You test.",
  });
});

test("readSubagent has no model for `inherit`, and no list of tools for `*`", () => {
  const subagent = read(plain.replace("---\nYou", 'model: inherit\ntools: "*"\n---\nYou'));
  expect(subagent).not.toHaveProperty("model");
  expect(subagent).not.toHaveProperty("tools");
});

test("readSubagent takes a description that is no YAML without quotes, and leaves its examples out", () => {
  const description = String.raw`Use it after a change: it tests.\nNot for docs. Examples:\n- <example>Context: "x"</example>`;
  const subagent = read(
    `---\nname: tester\ndescription: ${description}\ntools: Read\n---\nYou test.`,
  );
  expect(subagent).toMatchObject({
    description: "Use it after a change: it tests.\nNot for docs.",
    tools: ["Read"],
  });
});

test("readSubagent warns of fields that a team does not use, and of unknown ones", () => {
  expect(warningsOf(plain.replace("---\nYou", "mcpServers: [shop]\ntool: Read\n---\nYou"))).toEqual(
    [
      "a.md:4:1: mcpServers: A team does not use it. Name its servers under mcp in the team file.",
      "a.md:5:1: tool: Unknown field, which is ignored. Did you mean tools?",
    ],
  );
});

test.each([
  ["You test.\n", "a.md:1:1: There is no front matter."],
  ["---\nname: tester\ndescription: x\n", "a.md:1:1: There is no front matter."],
  ["---\nname: [a\ndescription: x\n---\nY", "a.md:3:1: "],
  ["---\n- a\n---\nY", "a.md:2:1: Fields are expected here"],
  ["---\nname: tester\n---\nY", "a.md:2:1: description: It is missing"],
  ["---\ndescription: x\n---\nY", "a.md:2:1: name: It is missing"],
  ["---\nname: a\ndescription: x\n---\n  \n", "There is no text below the front matter"],
  ["---\nname: a\ndescription: x\ntools: 7\n---\nY", "a.md:4:1: tools: Expected names"],
  [
    "---\nname: a\ndescription: x\npermissionMode: yes please\n---\nY",
    "a.md:4:1: permissionMode: Expected one of default",
  ],
])("readSubagent says where %j is wrong", (text, message) => {
  expect(() => read(text)).toThrow(message);
});
