import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { YamlSource } from "./yaml-source.ts";

describe("YamlSource", () => {
  it("gives the position of a field's name, and of a list's item itself", () => {
    const source = new YamlSource("a: 1\nb:\n  - x\n  - c: 2\n");
    expect(source.positionOf(["a"])).toEqual({ line: 1, column: 1 });
    expect(source.positionOf(["b", 0])).toEqual({ line: 3, column: 5 });
    expect(source.positionOf(["b", 1, "c"])).toEqual({ line: 4, column: 5 });
  });

  it("gives the parent's position for a missing field, and the first line for a missing root", () => {
    const source = new YamlSource("a: 1\nb: { c: 2 }\n");
    expect(source.positionOf(["b", "missing"])).toEqual({ line: 2, column: 1 });
    expect(source.positionOf(["missing"])).toEqual({ line: 1, column: 1 });
  });

  it("makes an issue with position and path", () => {
    expect(new YamlSource("a:\n  - b\n").issueAt(["a", 0], "No.")).toEqual({
      position: { line: 2, column: 5 },
      path: "a[0]",
      message: "No.",
    });
  });

  it.each([
    ["a: [", 1, /./],
    ["a: 1\n__proto__: 2", 2, /__proto__ cannot be used/],
    ["a: 1\n{ b: c }: 2", 2, /A name is expected here/],
    ["a: *b", 1, /There is no &b before \*b/],
    ["a: 1\n---\nb: 2", 2, /A second document begins here/],
    ["a: !b c", 1, /begins with ! needs quotes/],
  ])("reports %j as a syntax error on line %i and reads no value", (text, line, message) => {
    const { syntaxError, value } = new YamlSource(text);
    expect(syntaxError?.position?.line).toBe(line);
    expect(syntaxError?.message).toMatch(message);
    expect(value).toBeUndefined();
  });

  it("reads every value that YAML can write", () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/);
    const value = fc.letrec((tie) => ({
      leaf: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
      tree: fc.oneof(
        { depthSize: "small" },
        tie("leaf"),
        fc.array(tie("tree")),
        fc.dictionary(name, tie("tree"), { noNullPrototype: true }),
      ),
    })).tree;
    fc.assert(
      fc.property(value, (written) => {
        expect(new YamlSource(stringify(written)).value).toEqual(written);
      }),
    );
  });
});
