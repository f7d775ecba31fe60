import { execFile } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../test/support/temp-dir.ts";
import { parts } from "./generate/json-schemas.ts";

const root = join(import.meta.dirname, "..");

interface Outcome {
  exit: number;
  errors: string;
}

/** Runs the script as `npm run` does, in a directory of our choice. */
function generate(cwd: string, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const script = join(import.meta.dirname, "schemas.ts");
    execFile(process.execPath, [script, ...args], { cwd }, (error, _, errors) => {
      resolve({ exit: error ? Number(error.code) : 0, errors });
    });
  });
}

test("what is committed is what the source generates", async () => {
  expect(await generate(root, "--check")).toEqual({ exit: 0, errors: "" });
});

describe("a freshly generated directory", () => {
  test("holds one schema for each part, and the page of errors", async () => {
    const directory = tempDir();
    expect(await generate(directory)).toEqual({ exit: 0, errors: "" });
    const names = Object.keys(parts).map((part) => `${part}.json`);
    expect(readdirSync(join(directory, "schema")).toSorted()).toEqual(names.toSorted());
    expect(readdirSync(join(directory, "docs"))).toEqual(["errors.md"]);
    expect(await generate(directory, "--check")).toEqual({ exit: 0, errors: "" });
  });

  test("is stale after any change, and each stale file is named with what to do", async () => {
    const directory = tempDir();
    await generate(directory);
    appendFileSync(join(directory, "schema/ipc.json"), " ");
    rmSync(join(directory, "docs/errors.md"));
    writeFileSync(join(directory, "schema/of-old.json"), "{}");
    const before = readFileSync(join(directory, "schema/ipc.json"), "utf8");
    expect(await generate(directory, "--check")).toEqual({
      exit: 1,
      errors: [
        'schema/ipc.json is stale: run "npm run generate".\n',
        'docs/errors.md is stale: run "npm run generate".\n',
        "schema/of-old.json is not generated any more: delete it.\n",
      ].join(""),
    });
    expect(readFileSync(join(directory, "schema/ipc.json"), "utf8")).toBe(before);
  });
});
