import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { FileCompletion } from "./file-completion.ts";

function write(root: string, ...paths: string[]): string {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "");
  }
  return root;
}

const git = (cwd: string, ...args: string[]): void =>
  void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t.test", ...args], { cwd });

const ask = (files: FileCompletion, prefix: string, limit = 50) =>
  files.complete({ type: "complete", kind: "file", prefix, limit });

const pathsOf = async (files: FileCompletion, prefix: string): Promise<string[]> =>
  (await ask(files, prefix)).items.map(({ path }) => path);

test("[SES-64] in a repository, FileCompletion leaves out what git ignores and what was removed", async () => {
  const cwd = write(tempDir(), "src/main.ts", "src/gone.ts", "new.ts", "dist/out.js", ".gitignore");
  writeFileSync(join(cwd, ".gitignore"), "dist\n");
  git(cwd, "init", "-q");
  git(cwd, "add", "src");
  rmSync(join(cwd, "src/gone.ts"));
  expect((await ask(new FileCompletion(cwd), "")).items).toEqual([
    { path: "src/", kind: "directory" },
    { path: "new.ts", kind: "file" },
    { path: ".gitignore", kind: "file" },
    { path: "src/main.ts", kind: "file" },
  ]);
  expect(await pathsOf(new FileCompletion(join(cwd, "src")), "")).toEqual(["main.ts"]);
});

test("[SES-64] a repository cannot make FileCompletion run a program", async () => {
  const cwd = write(tempDir(), "a.ts");
  const program = join(cwd, "program.sh");
  writeFileSync(program, `#!/bin/sh\ntouch ${cwd}/ran\n`);
  chmodSync(program, 0o755);
  git(cwd, "init", "-q");
  git(cwd, "config", "core.fsmonitor", program);
  expect(await pathsOf(new FileCompletion(cwd), "a")).toContain("a.ts");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

test("[SES-64] without a repository, FileCompletion looks through the directory, but not through links or node_modules", async () => {
  const outside = write(tempDir(), "secret.txt");
  const cwd = write(tempDir(), "a/b/c.txt", "node_modules/x/index.js");
  symlinkSync(outside, join(cwd, "link"));
  expect(await pathsOf(new FileCompletion(cwd), "")).toEqual(["a/", "link", "a/b/", "a/b/c.txt"]);
});

test("[SES-64] FileCompletion completes absolute paths in the session's directories and nowhere else", async () => {
  const [cwd, added, outside] = [tempDir(), tempDir(), tempDir()];
  write(cwd, "one.txt");
  write(added, "two.txt");
  write(outside, "three.txt");
  const files = new FileCompletion(cwd, [added, added]);
  expect(await pathsOf(files, "")).toEqual(["one.txt", join(added, "two.txt")]);
  expect(await pathsOf(files, "./tw")).toEqual([join(added, "two.txt")]);
  expect(await pathsOf(files, join(added, "t"))).toEqual([join(added, "two.txt")]);
  expect(await pathsOf(files, join(cwd, "o"))).toEqual(["one.txt"]);
  for (const typed of ["three", `${outside}/`, "../", "/etc/", `${cwd}/../`]) {
    expect(await pathsOf(files, typed)).toEqual([]);
  }
});

test("[SES-64] FileCompletion returns at most as many names as asked for, and says that there are more", async () => {
  const cwd = write(tempDir(), "a1", "a2", "a3");
  const files = new FileCompletion(cwd);
  expect(await ask(files, "a", 2)).toMatchObject({
    items: [{ path: "a1" }, { path: "a2" }],
    more: true,
  });
  expect(await ask(files, "a", 3)).toMatchObject({ items: { length: 3 }, more: false });
});

test("[SES-64] FileCompletion says when its directory is gone, and finds it again", async () => {
  const cwd = join(tempDir(), "project");
  const files = new FileCompletion(cwd);
  await expect(ask(files, "")).rejects.toMatchObject({ code: "cwd_not_found" });
  write(cwd, "back.txt");
  expect(await pathsOf(files, "b")).toEqual(["back.txt"]);
});

test("[SES-64] FileCompletion looks at a limited number of files, and says so", async () => {
  const cwd = write(tempDir(), "a1", "b/a2", "b/c/a3");
  const limits = { gitBytes: 4, walkedPaths: 2 };
  const ofWalk = await ask(new FileCompletion(cwd, [], limits), "a");
  expect(ofWalk).toMatchObject({ items: { length: 1 }, more: true });
  git(cwd, "init", "-q");
  const ofGit = await ask(new FileCompletion(cwd, [], limits), "a");
  expect(ofGit).toMatchObject({ items: [{ path: "a1" }, {}, {}], more: true });
  expect(await ask(new FileCompletion(cwd), "a")).toMatchObject({ more: false });
});
