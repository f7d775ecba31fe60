import { expect, it } from "vitest";
import { vetoOf } from "./parameter-restrictions.ts";

const veto = vetoOf({
  Bash: { run_in_background: false, command: (value) => value !== "rm" },
  Edit: { range: [1, 2] },
});
const call = (tool: string, input: object) =>
  veto({ request_id: "T1", tool, input: input as never });

it("allows calls whose parameters match, and tools without restrictions", () => {
  expect(call("Bash", { run_in_background: false, command: "ls" })).toBeUndefined();
  expect(call("Edit", { range: [1, 2] })).toBeUndefined();
  expect(call("Read", { run_in_background: true })).toBeUndefined();
});

it("reports what a parameter must be", () => {
  expect(call("Bash", { command: "rm" })).toBe(
    "Bash did not run. Its run_in_background must be false. Its command is not allowed. Call it again accordingly.",
  );
  expect(call("Edit", { range: [2, 1] })).toContain("Its range must be [1,2].");
});

it("refuses when a function throws, is late, or returns anything but true", () => {
  const answers: (() => unknown)[] = [
    () => {
      throw new Error("a restriction's own trouble");
    },
    () => Promise.resolve(true),
    () => Promise.reject(new Error("later")),
    () => "yes",
    () => undefined,
  ];
  for (const answer of answers) {
    const judge = vetoOf({ Bash: { command: answer as () => boolean } });
    expect(judge({ request_id: "T1", tool: "Bash", input: { command: "ls" } })).toContain(
      "Its command is not allowed.",
    );
  }
});

it("knows the caller's own tools by both of their names, and no others", () => {
  const judge = vetoOf({ price: { fruit: "plum" }, mcp__shop__price: { shop: 1 } }, "shop");
  const judged = (tool: string) => judge({ request_id: "T1", tool, input: {} });
  expect(judged("mcp__shop__price")).toContain('Its shop must be 1. Its fruit must be "plum".');
  expect(judged("mcp__other__price")).toBeUndefined();
});
