import { expect, test } from "vitest";
import { checkClientName } from "./check-client-name.ts";

test.each(["policy", "Policy", " policy", "policy 1: allow Write", "\u200bpolicy", "policy:x"])(
  "checkClientName refuses %j, which records would show as the policy",
  (name) => {
    expect(() => checkClientName(name)).toThrow(
      expect.objectContaining({ code: "invalid_params" }),
    );
  },
);

test("checkClientName refuses a reserved name, and no name that only begins like one", () => {
  for (const name of ["coder", "CODER", "coder\u202e"]) {
    expect(() => checkClientName(name, ["coder"])).toThrow(/cannot be called/);
  }
  for (const name of ["coder (command line)", "policymaker", "anna", "my-policy"]) {
    expect(checkClientName(name, ["coder"])).toBe(name);
  }
});

test.each(["anna\ndenied by bob", "anna\u001b[2J", "anna\u2028bob", "", " ", "\u200b"])(
  "checkClientName refuses %j, which would not be one line of text in records",
  (name) => {
    expect(() => checkClientName(name)).toThrow(
      expect.objectContaining({ code: "invalid_params" }),
    );
  },
);
