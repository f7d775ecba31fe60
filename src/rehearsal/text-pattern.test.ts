import { describe, expect, it } from "vitest";
import { PatternSchema, groupsOf, matchPattern } from "./text-pattern.ts";

function found(words: string, text: string): boolean {
  return matchPattern(words, text, "contained") !== undefined;
}

describe("matchPattern", () => {
  it("finds plain words anywhere, or requires the whole text", () => {
    expect(matchPattern("ship", "please ship it", "contained")).toEqual({
      numbered: [],
      named: {},
    });
    expect(matchPattern("ship", "please ship it", "equal")).toBeUndefined();
    expect(matchPattern("ship", "ship", "equal")).toBeDefined();
    expect(matchPattern("Ship", "ship", "contained")).toBeUndefined();
  });

  it("finds whole words only, in scripts that have spaces between them", () => {
    expect([found("hi", "nothing"), found("hi", "hi, you"), found("hi", "“hi”")]).toEqual([
      false,
      true,
      true,
    ]);
    expect([found("über", "darüber"), found("go 1", "go 12"), found("a_b", "a_b_c")]).toEqual([
      false,
      false,
      false,
    ]);
    expect([found("你好", "说你好吗"), found("(a+b)?", "x(a+b)?x"), found(".", "no dot")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("takes text between slashes for a regular expression", () => {
    expect(matchPattern("/^SHIP (\\w+)/i", "ship it", "equal")?.numbered).toEqual(["it"]);
    expect(matchPattern("/a.c/s", "a\nc", "contained")).toBeDefined();
    expect(matchPattern("/tmp/(?<file>\\w+)/", "in tmp/notes", "contained")?.named).toEqual({
      file: "notes",
    });
  });

  it("takes a path or a slash command for plain words", () => {
    expect(matchPattern("/compact", "send /compact now", "contained")).toBeDefined();
    expect(matchPattern("/tmp/x", "see /tmp/x", "contained")).toBeDefined();
    expect(matchPattern("/tmp/notes", "see /tmp/notes", "contained")).toBeDefined();
  });

  it("gives an empty group where a group took no part", () => {
    expect(matchPattern("/(a)|(?<b>b)/", "a", "contained")).toEqual({
      numbered: ["a", ""],
      named: { b: "" },
    });
  });

  it("looks through the whole text, whatever the flags", () => {
    expect(matchPattern("/(b)/gy", "ab", "contained")?.numbered).toEqual(["b"]);
  });
});

describe("groupsOf", () => {
  it("counts the groups of all patterns and lists their names", () => {
    expect(groupsOf(["plain (words)", "/(a)(?:b)(?<word>c)/", "/(d)|e/"])).toEqual({
      count: 3,
      names: ["word"],
    });
  });
});

describe("PatternSchema", () => {
  it("refuses a broken regular expression with the reason", () => {
    const { error } = PatternSchema.safeParse("/(unclosed/");
    expect(error?.issues[0]?.message).toContain("Unterminated group");
  });

  it.each(["/^a/x", "/(a|b)/ix", String.raw`/\d/I`, "/a*b/ii"])(
    "refuses wrong flags: %s",
    (pattern) => {
      const { error } = PatternSchema.safeParse(pattern);
      expect(error?.issues[0]?.message).toContain("Invalid flags");
    },
  );
});
