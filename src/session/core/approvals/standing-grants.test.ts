import { expect, test } from "vitest";
import type { JsonObject } from "../../../wire/json.ts";
import { standingGrants } from "./standing-grants.ts";

const granted = (toolName: string, ruleContent?: string, behavior = "allow"): JsonObject => ({
  type: "addRules",
  rules: [{ toolName, ...(ruleContent !== undefined && { ruleContent }) }],
  behavior,
  destination: "session",
});

test("session grants become the options of the next CLI", () => {
  expect(
    standingGrants([
      granted("Bash", "npm test *"),
      // What was allowed always is in force for the session as well.
      granted("Bash", "npm test *"),
      { type: "setMode", mode: "acceptEdits", destination: "session" },
      { type: "addDirectories", directories: ["/a"], destination: "session" },
      granted("WebFetch", undefined, "deny"),
    ]),
  ).toEqual({
    allowedTools: ["Bash(npm test *)"],
    disallowedTools: ["WebFetch"],
    additionalDirectories: ["/a"],
  });
});

test.each([
  ["echo a, b", String.raw`Bash(echo a, b)`],
  ["node -e f(1)", String.raw`Bash(node -e f\(1\))`],
  [String.raw`grep a\|b`, String.raw`Bash(grep a\\|b)`],
  ["awk (x y", String.raw`Bash(awk \(x y)`],
])("a rule that the CLI's list of tools keeps whole goes there, escaped: %s", (content, rule) => {
  const { allowedTools, settings } = standingGrants([granted("Bash", content)]);
  expect(allowedTools).toEqual([rule]);
  expect(settings).toBeUndefined();
});

test.each([
  ["f(1), Bash, (2)", String.raw`Bash(f\(1\), Bash, \(2\))`],
  ["f(1) + 2", String.raw`Bash(f\(1\) + 2)`],
  ["a), Bash", String.raw`Bash(a\), Bash)`],
])("a rule that the list would split goes into the settings: %s", (content, rule) => {
  const { allowedTools, settings } = standingGrants([granted("Bash", content)]);
  expect(allowedTools).toEqual([]);
  expect(settings).toEqual({ permissions: { allow: [rule], deny: [] } });
});

test("standingGrants keeps the person's own settings", () => {
  const given = { model: "opus", permissions: { allow: ["Read"], ask: ["Edit"] } };
  const grants = [granted("Bash", "f(1) 2"), granted("Bash", "g(1) 2", "deny")];
  const merged = {
    model: "opus",
    permissions: {
      allow: ["Read", String.raw`Bash(f\(1\) 2)`],
      deny: [String.raw`Bash(g\(1\) 2)`],
      ask: ["Edit"],
    },
  };
  expect(standingGrants(grants, given).settings).toEqual(merged);
  expect(standingGrants(grants, JSON.stringify(given)).settings).toEqual(merged);
});

test("standingGrants leaves out a grant that it cannot pass unchanged", () => {
  const nothing = { allowedTools: [], disallowedTools: [], additionalDirectories: [] };
  expect(standingGrants([granted("Bash", "f(1) 2")], "/my/settings.json")).toEqual(nothing);
  // It would count from where the settings are.
  expect(standingGrants([granted("Edit", "/a (old) b/**")])).toEqual(nothing);
  expect(standingGrants([granted("a tool, Bash")])).toEqual(nothing);
});
