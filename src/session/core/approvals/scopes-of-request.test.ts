import { expect, test } from "vitest";
import type { PermissionRequest } from "../../../engine/ask-permission.ts";
import { scopesOf, updatesOf } from "./scopes-of-request.ts";

type Suggestions = PermissionRequest["suggestions"];

const rule: Suggestions[number] = {
  type: "addRules",
  rules: [{ toolName: "Bash", ruleContent: "npm test *" }],
  behavior: "allow",
  destination: "localSettings",
};
const mode: Suggestions[number] = {
  type: "setMode",
  mode: "acceptEdits",
  destination: "session",
};

const request = (suggestions: Suggestions, more: Partial<PermissionRequest> = {}) => ({
  request_id: "r",
  tool: "Bash",
  input: {},
  suggestions,
  signal: new AbortController().signal,
  ...more,
});

const namesOf = (asked: PermissionRequest) => scopesOf(asked).map(({ scope }) => scope);

test("scopesOf offers what the suggestions cover", () => {
  expect(namesOf(request([]))).toEqual(["once"]);
  expect(namesOf(request([mode]))).toEqual(["once", "session"]);
  expect(namesOf(request([rule]))).toEqual(["once", "session", "always"]);
  expect(namesOf(request([rule], { default_to_no: true }))).toEqual(["once"]);
  expect(updatesOf(request([mode]), "always")).toBeUndefined();
});

test("approving a command does not change to a mode that allows far more", () => {
  const asked = request([rule, mode]);
  // Always is for this session as well, whatever settings it reads.
  expect(updatesOf(asked, "always")).toEqual([rule, { ...rule, destination: "session" }]);
  expect(updatesOf(asked, "session")).toEqual([{ ...rule, destination: "session" }]);
  expect(scopesOf(asked)[2]?.label).toBe("Always allow Bash(npm test *) in this project, for you");
});
