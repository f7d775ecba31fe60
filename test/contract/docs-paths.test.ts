import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const pages = ["README.md", "CONTRIBUTING.md", ...globSync("docs/*.md", { cwd: root })];

/** Paths in code ticks that begin at the root of the repository; a `*` stands for some files. */
function pathsIn(page: string): string[] {
  const found = page.matchAll(/`((?:src|test|scripts|docs|examples)\/[\w./*-]+)`/g);
  return [...found].map(([, path = ""]) => path);
}

const linksIn = (page: string): string[] =>
  [...page.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = ""]) => link);

const exists = (path: string): boolean =>
  existsSync(join(root, path)) ||
  globSync([path, `${path}.ts`, `${path}.test.ts`], { cwd: root }).length > 0;

test.each(pages)("%s names only files that exist", (name) => {
  const page = readFileSync(join(root, name), "utf8");
  expect(pathsIn(page).filter((path) => !exists(path))).toEqual([]);
});

test.each(pages)("%s links only to files that exist", (name) => {
  const page = readFileSync(join(root, name), "utf8");
  expect(
    linksIn(page).filter((link) => !existsSync(join(root, dirname(name), decodeURI(link)))),
  ).toEqual([]);
});

test("docs/architecture.md names the files of its walks", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  expect(pathsIn(page).length).toBeGreaterThan(50);
});

test("docs/architecture.md has every layer in its picture", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8");
  const [, picture = ""] = /```\n(┌[^]*?)```/.exec(page) ?? [];
  const named = [...picture.matchAll(/^│ ([a-z-]+) /gm)].map(([, layer]) => layer);
  const folders = globSync("src/*/", { cwd: root }).map((path) => basename(path));
  expect(new Set(named)).toEqual(new Set(folders));
  expect(named).toHaveLength(folders.length);
});
