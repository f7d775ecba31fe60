import * as fc from "fast-check";
import { expect, test } from "vitest";
import { indexPaths, rankPaths } from "./rank-paths.ts";

const ranked = (paths: readonly string[], typed: string): string[] => [
  ...rankPaths(indexPaths(paths), typed),
];

const pathsOf = (paths: readonly string[]): string[] => indexPaths(paths).map(({ path }) => path);

test("indexPaths adds each directory of the files once", () => {
  expect(pathsOf(["a.ts", "src/b.ts", "src/deep/er/c.ts", "src/deep/d.ts"])).toEqual([
    "a.ts",
    "src/b.ts",
    "src/deep/er/c.ts",
    "src/deep/d.ts",
    "src/",
    "src/deep/er/",
    "src/deep/",
  ]);
  expect(pathsOf(["empty/"])).toEqual(["empty/"]);
});

const paths = ["README.md", "src/", "src/read.ts", "spread.md", "src/Readable.ts", "x.md"];

test("rankPaths puts paths that begin with the text first, then names that do, then the rest that contain it", () => {
  expect(ranked(paths, "READ")).toEqual([
    "README.md",
    "src/read.ts",
    "src/Readable.ts",
    "spread.md",
  ]);
  expect(ranked(paths, "src/re")).toEqual(["src/read.ts", "src/Readable.ts"]);
  expect(ranked(paths, "nothing")).toEqual([]);
});

test("rankPaths lists what is nearest to the top first when nothing is typed", () => {
  expect(ranked(paths, "").slice(0, 3)).toEqual(["src/", "x.md", "README.md"]);
});

test("rankPaths returns each fitting path once, whatever the text", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 })), fc.string(), (files, typed) => {
      const all = pathsOf(files);
      const found = ranked(files, typed);
      const fits = (path: string): boolean =>
        path.startsWith(typed) || path.toLowerCase().includes(typed.toLowerCase());
      expect(found.toSorted()).toEqual(all.filter(fits).toSorted());
    }),
  );
});
