import { expect, test } from "vitest";
import { addressOf } from "./address.ts";
import { hasBlobs, withBlobs } from "./blobs.ts";
import { answersOf, unanswered } from "./chosen-answers.ts";
import { changedInput, editedField, editedText } from "./edited-input.ts";
import type { Outcome } from "./call.ts";
import { commandCall } from "./fake-decider.ts";
import { outcomeText } from "./outcome-text.ts";
import { scopeRules } from "./rule-text.ts";

const rule = (toolName: string, ruleContent?: string) => ({
  toolName,
  ...(ruleContent !== undefined && { ruleContent }),
});

test("`scopeRules` writes every suggestion out, beside the file that it goes to", () => {
  expect(
    scopeRules([
      {
        type: "addRules",
        behavior: "allow",
        destination: "localSettings",
        rules: [rule("Bash", "npm test:*"), rule("Read")],
      },
      { type: "addDirectories", destination: "session", directories: ["/srv/data"] },
      { type: "setMode", destination: "session", mode: "acceptEdits" },
      { type: "somethingNew", destination: "session" },
    ]),
  ).toEqual([
    { rules: ["Bash(npm test:*)", "Read"], file: "localSettings" },
    {
      rules: [
        "/srv/data",
        "mode acceptEdits: change files without asking",
        '{"type":"somethingNew","destination":"session"}',
      ],
      file: undefined,
    },
  ]);
  expect(scopeRules()).toEqual([]);
});

test("`addressOf` sets the host apart from what only looks like one", () => {
  expect(addressOf("https://bank.example@evil.test:8443/bank.example?a=b")).toEqual({
    before: "https://bank.example@",
    host: "evil.test:8443",
    after: "/bank.example?a=b",
    isWeb: true,
  });
  // A letter of another script shows as what it is.
  expect(addressOf("https://аpple.com/")?.host).toBe("xn--pple-43d.com");
  expect(addressOf("https://a.b/?@c.d")?.host).toBe("a.b");
  for (const text of ["javascript:alert(1)", "data:text/html,x", "no address", ""]) {
    expect(addressOf(text)).toBeUndefined();
  }
  expect(addressOf("ssh://host/x")?.isWeb).toBe(false);
});

test("a changed input keeps all but the one field, and JSON has to be an object", () => {
  const input = { command: "ls", timeout: 5 };
  const field = editedField("Bash", input);
  expect(editedText(input, field)).toBe("ls");
  expect(changedInput(input, field, "ls -l")).toEqual({ command: "ls -l", timeout: 5 });
  expect(editedField("mcp__shop__buy", input)).toBeUndefined();
  expect(editedField("constructor", input)).toBeUndefined();
  expect(changedInput(input, undefined, '{"command":"pwd"}')).toEqual({ command: "pwd" });
  for (const text of ["[1]", "null", "{", "7"]) {
    expect(changedInput(input, undefined, text)).toBeUndefined();
  }
});

test("`withBlobs` puts every large text in its place", async () => {
  const input = { a: [{ blob: "b1", bytes: 300_000, preview: "x" }], b: 1 };
  expect(hasBlobs(input)).toBe(true);
  const whole = await withBlobs(input, (blob) => Promise.resolve(`all of ${blob}`));
  expect(whole).toEqual({ a: ["all of b1"], b: 1 });
  expect(hasBlobs(whole)).toBe(false);
});

test("answers are labels, several labels, or own words", () => {
  const questions = [
    { question: "Colour?", options: [{ label: "red" }], multi: false },
    { question: "Sizes?", options: [{ label: "S" }, { label: "L" }], multi: true },
  ];
  const chosen = new Map([["Sizes?", { labels: ["S", "L"], own: " and tall " }]]);
  expect(unanswered(questions, chosen)).toBe("Colour?");
  const all = new Map([...chosen, ["Colour?", { labels: [], own: "a green of my own" }]]);
  expect(unanswered(questions, all)).toBeUndefined();
  expect(answersOf(questions, all)).toEqual({
    "Colour?": "a green of my own",
    "Sizes?": ["S", "L", "and tall"],
  });
});

test("a question that is called as what every object has is not answered by that", () => {
  const questions = [{ question: "constructor", options: [{ label: "toString" }], multi: false }];
  expect(unanswered(questions, new Map())).toBe("constructor");
  const chosen = new Map([["constructor", { labels: ["toString"], own: "" }]]);
  expect(answersOf(questions, chosen)).toEqual({ constructor: "toString" });
});

test("`outcomeText` says what became of a call, who decided, and by what rule", () => {
  const { request } = commandCall("a");
  const text = (end: Outcome | undefined): string => outcomeText({ request, end });
  expect(text({ outcome: "allowed", by: "anna", scope: "once" })).toBe("allowed by anna, once");
  expect(text({ outcome: "denied", by: "policy", rule: "no rm" })).toBe(
    "denied by policy, rule no rm",
  );
  expect(text({ outcome: "timed_out" })).toBe("denied itself: its time was over");
  expect(text(undefined)).toBe("over");
});
