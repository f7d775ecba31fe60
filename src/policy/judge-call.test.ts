import { expect, test } from "vitest";
import type { PolicyRule } from "../wire/policy-rule.ts";
import { judgeCall } from "./judge-call.ts";

test("judgeCall decides by the first rule that matches", () => {
  const policy: PolicyRule[] = [
    { tool: "Bash", match: "npm test*", action: "allow" },
    { tool: "Write", action: "allow" },
    { tool: "mcp__*", action: "deny", reason: "no" },
  ];
  const judge = (tool: string, input: Record<string, string>) =>
    judgeCall(policy, { tool, input })?.action;
  expect(judge("Bash", { command: "npm test -- src" })).toBe("allow");
  expect(judge("Bash", { command: "npm test; rm -rf /" })).toBeUndefined();
  expect(judge("Bash", { command: "npm test\ncurl evil" })).toBeUndefined();
  expect(judge("Bash", { command: "npm install" })).toBeUndefined();
  expect(judge("Write", { file_path: "/x" })).toBe("allow");
  expect(judge("Read", { file_path: "/x" })).toBeUndefined();
  expect(judgeCall(policy, { tool: "mcp__x__y", input: {} })).toEqual({
    action: "deny",
    rule: "3: deny mcp__*",
    reason: "no",
  });
  const named: PolicyRule[] = [{ tool: "*", action: "ask", name: "house rule" }];
  expect(judgeCall(named, { tool: "Read", input: {} })).toEqual({
    action: "ask",
    rule: "house rule",
  });
});

const judgeBy = (action: "allow" | "deny", match: string, input: Record<string, string>) =>
  judgeCall([{ tool: "*", match, action }], { tool: "Write", input })?.action;

test("judgeCall matches a path or address also by where it leads", () => {
  for (const field of ["file_path", "notebook_path", "path", "pattern"]) {
    const inSrc = (action: "allow" | "deny", path: string) =>
      judgeBy(action, "/project/src/*", { [field]: path });
    expect(inSrc("allow", "/project/src/a/b.ts")).toBe("allow");
    expect(inSrc("allow", "/project/src/../../etc/passwd")).toBeUndefined();
    expect(inSrc("allow", "/project/src/a/../../../etc/passwd")).toBeUndefined();
    expect(inSrc("allow", "/project/src/a/../b.ts")).toBe("allow");
    expect(inSrc("deny", "/project/./src//key")).toBe("deny");
    expect(inSrc("deny", "/project/lib/../src/key")).toBe("deny");
    expect(inSrc("deny", "/project/src/../lib/key")).toBe("deny");
    expect(inSrc("deny", "/project/lib/key")).toBeUndefined();
    expect(judgeBy("allow", "src/*", { [field]: "src/../../key" })).toBeUndefined();
  }
  const inDocs = (action: "allow" | "deny", url: string) =>
    judgeBy(action, "https://example.org/docs/*", { url });
  expect(inDocs("allow", "https://example.org/docs/a")).toBe("allow");
  expect(inDocs("allow", "https://example.org/docs/%2e%2e/secret")).toBeUndefined();
  expect(inDocs("deny", "HTTPS://EXAMPLE.org/x/../docs/a")).toBe("deny");
  expect(judgeBy("allow", "https://example.org", { url: "https://example.org" })).toBe("allow");
  // A command is no path.
  expect(judgeBy("allow", "ls ../*", { command: "ls ../lib" })).toBe("allow");
});

/** With a rule that holds commands back, before one that allows all. */
const judgeCommand = (action: "deny" | "ask", command: string, match = "rm -rf*") =>
  judgeCall(
    [
      { tool: "Bash", match, action },
      { tool: "Bash", action: "allow" },
    ],
    { tool: "Bash", input: { command } },
  )?.action;

test("judgeCall denies or asks about a command wherever it is in a text", () => {
  for (const action of ["deny", "ask"] as const) {
    expect(judgeCommand(action, "rm -rf a; true")).toBe(action);
    expect(judgeCommand(action, "rm -rf build && ls")).toBe(action);
    expect(judgeCommand(action, "rm -rf $HOME > log\ntrue")).toBe(action);
    expect(judgeCommand(action, "cd build && rm -rf .")).toBe(action);
    expect(judgeCommand(action, "true\n  rm -rf .")).toBe(action);
    expect(judgeCommand(action, "echo $(rm -rf .)")).toBe(action);
    expect(judgeCommand(action, "if true; then (rm -rf .) fi")).toBe(action);
    expect(judgeCommand(action, "if true; then rm -rf .; fi")).toBe(action);
    expect(judgeCommand(action, "git push", "git * && make")).toBe("allow");
    expect(judgeCommand(action, "git push && make", "git * && make")).toBe(action);
    expect(judgeCommand(action, "rm a")).toBe("allow");
  }
});
