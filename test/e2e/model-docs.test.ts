import { execFile, execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { AnswerInput } from "../../src/rehearsal/answer-schema.ts";
import type { RequestView } from "../../src/rehearsal/request-view.ts";
import { expectNothingLeft } from "../support/model-stage.ts";
import { setStage } from "../support/rehearsed.ts";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/model.md"), "utf8");

/** Calls the tool that there is, then gives the object that is wanted, then tells what the tool said. */
function answer({ body, newToolResults }: RequestView): AnswerInput {
  const names = (body.tools ?? []).map(({ name }) => name);
  const own = names.find((name) => name.startsWith("mcp__tools__"));
  const results = newToolResults.map(({ text }) => text).join();
  if (own !== undefined && results === "") {
    return { tools: [{ name: own, input: { city: "Berlin", fruit: "plum" } }] };
  }
  const isWanted = names.includes("StructuredOutput") && results.includes("euros");
  if (isWanted) return { tools: [{ name: "StructuredOutput", input: { fruit: "plum" } }] };
  return { text: results };
}

/** What each program of the page prints, by words that stand in it. */
const programs: [string, RegExp][] = [
  ["generateText", /^It is sunny in Berlin\.$/],
  ["new ClaudeCodeModel", /^plum: 3 euros plum 0\.\d+$/],
];

test("the programs of the page compile for a user of the package, and do what they say", async () => {
  const stage = await setStage({ rules: [] });
  stage.rehearsal.setScript(answer);
  const home = stage.cwd;
  const modules = join(home, "node_modules");
  mkdirSync(modules);
  symlinkSync(root, join(modules, "agent-switchboard"));
  for (const name of ["zod", "ai", "@types"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(home, "package.json"), '{ "type": "module" }\n');
  const code = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, program = ""]) => program);
  expect(code).toHaveLength(programs.length);
  const files = programs.map(([words], index) => {
    const file = `program-${index}.ts`;
    const program = code.find((each) => each.includes(words));
    writeFileSync(join(home, file), program ?? "");
    return file;
  });
  const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "esnext"];
  const more = ["--types", "node", "--skipLibCheck"];
  const tsc = join(root, "node_modules/.bin/tsc");
  expect(execFileSync(tsc, [...flags, ...more, ...files], { cwd: home, encoding: "utf8" })).toBe(
    "",
  );
  for (const [index, [, printed]] of programs.entries()) {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--no-warnings", join(home, `program-${index}.ts`)],
      { cwd: home, env: { PATH: process.env["PATH"], ...stage.env }, timeout: 90_000 },
    );
    expect(stdout.trim()).toMatch(printed);
  }
  await expectNothingLeft(stage);
});

test("each row of the page's comparison names a test that exists, or says no", () => {
  const [, table = ""] = /\n## Beside ai-sdk-provider-claude-code([^]*?)\n## /.exec(page) ?? [];
  const rows = table.split("\n").filter((line) => line.startsWith("| "));
  const tests = globSync("{test/e2e,src/model/**}/*.test.ts", { cwd: root }).map((path) =>
    basename(path, ".test.ts"),
  );
  // The heading and the line below it.
  const claims = rows.slice(2).map((row) => row.split("|").at(-2) ?? "");
  expect(claims.length).toBeGreaterThan(30);
  const names = claims.flatMap((claim) =>
    [...claim.matchAll(/`([\w.-]+)`/g)].map(([, name]) => name),
  );
  const unproven = claims.filter((claim) => !/^ no\b/.test(claim) && !/: `[\w.-]+`/.test(claim));
  expect(unproven).toEqual([]);
  const missing = names.filter(
    (name = "") => /-|\.test/.test(name) && !tests.includes(name.replace(".test.ts", "")),
  );
  expect(missing).toEqual([]);
});
