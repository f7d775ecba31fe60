import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { failures, otherFailures } from "../support/failing-tools.ts";
import { tempDir } from "../support/temp-dir.ts";

const root = resolve(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/bridge.md"), "utf8");

test("the bridge guide quotes each failure in the text that the model reads", () => {
  const texts = [...failures.map(({ text }) => text), ...Object.values(otherFailures)];
  expect(texts.filter((text) => !guide.includes(`> ${text}\n`))).toEqual([]);
});

test("the programs of the guide compile for a user of the package", () => {
  const home = tempDir();
  const modules = join(home, "node_modules");
  mkdirSync(join(modules, "@anthropic-ai"), { recursive: true });
  symlinkSync(root, join(modules, "agent-switchboard"));
  for (const name of ["zod", "@types", "@anthropic-ai/claude-agent-sdk"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(home, "package.json"), '{ "type": "module" }\n');
  const programs = [...guide.matchAll(/```ts\n([^]*?)```/g)].map(([, program = ""]) => program);
  expect(programs.length).toBeGreaterThan(5);
  const files = programs.map((program, index) => {
    const file = `program-${index}.ts`;
    writeFileSync(join(home, file), program);
    return file;
  });
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "esnext"];
  const more = ["--types", "node", "--skipLibCheck"];
  const compile = () =>
    execFileSync(join(root, "node_modules/.bin/tsc"), [...flags, ...more, ...files], {
      cwd: home,
      encoding: "utf8",
    });
  expect(compile()).toBe("");
});
