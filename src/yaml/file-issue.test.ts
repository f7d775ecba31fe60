import { describe, expect, it } from "vitest";
import * as z from "zod";
import { invalidFile, pathText } from "./file-issue.ts";
import { schemaIssues } from "./schema-issues.ts";
import { strictObject } from "./strict-object.ts";
import { utf8Issue } from "./utf8-issue.ts";

describe("pathText", () => {
  it("joins names with dots, numbers items, and quotes unusual names", () => {
    expect(pathText(["rules", 2, "when", "user"])).toBe("rules[2].when.user");
    expect(pathText(["agents", "..", "x-y"])).toBe('agents[".."].x-y');
    expect(pathText([])).toBe("");
  });
});

describe("invalidFile", () => {
  it("lists each issue on a line of its own and carries all of them as data", () => {
    const error = invalidFile("team_invalid", "team.yaml", [
      { position: { line: 3, column: 1 }, path: "lead", message: "No such agent." },
      { position: undefined, path: "", message: "It is empty." },
    ]);
    expect(error.code).toBe("team_invalid");
    expect(error.message).toBe("team.yaml:3:1: lead: No such agent.\nteam.yaml: It is empty.");
    expect(error.data).toEqual({
      file: "team.yaml",
      issues: [
        { line: 3, column: 1, path: "lead", message: "No such agent." },
        { path: "", message: "It is empty." },
      ],
    });
  });
});

describe("schemaIssues", () => {
  const schema = strictObject({
    name: z.string(),
    mode: z.union([z.string(), strictObject({ slow: z.boolean() })]).optional(),
  });
  const messages = (value: unknown): string[] => {
    const { error } = schema.safeParse(value);
    if (!error) return [];
    return schemaIssues(error, () => undefined).map(({ path, message }) => `${path}: ${message}`);
  };

  it("says that a required field is missing", () => {
    expect(messages({})).toEqual(["name: It is missing."]);
  });

  it("reports the issues of the alternative whose type fits", () => {
    expect(messages({ name: "a", mode: { slow: 1 } })).toEqual([
      "mode.slow: Invalid input: expected boolean, received number",
    ]);
  });

  it("suggests the known field that an unknown one resembles", () => {
    expect(messages({ nam: "a", name: "b" })).toEqual([
      ': Unknown field "nam". Did you mean name? Known here: name, mode.',
    ]);
  });
});

describe("utf8Issue", () => {
  it("gives the position of the first bytes that are not UTF-8", () => {
    const bytes = Buffer.concat([Buffer.from("a: \uFFFD\nbä"), Buffer.from([0xff])]);
    expect(utf8Issue(bytes)?.position).toEqual({ line: 2, column: 3 });
    expect(utf8Issue(Buffer.from("a: \uFFFD\n"))).toBeUndefined();
  });
});
