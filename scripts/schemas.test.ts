import { execFile } from "node:child_process";
import {
  appendFileSync,
  globSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { tempDir } from "../test/support/temp-dir.ts";
import { parts, writtenFiles } from "./generate/json-schemas.ts";

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

test("the committed schemas are those that the source generates", async () => {
  expect(await generate(root, "--check")).toEqual({ exit: 0, errors: "" });
});

describe("a freshly generated directory", () => {
  test("holds one schema for each part, and the page of errors", async () => {
    const directory = tempDir();
    expect(await generate(directory)).toEqual({ exit: 0, errors: "" });
    const names = Object.keys({ ...parts, ...writtenFiles }).map((part) => `${part}.json`);
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

describe("the schema of a file that people write", () => {
  const validate = (name: string) => {
    const text = readFileSync(join(root, `schema/${name}.json`), "utf8");
    return new Ajv2020({ strict: false }).compile(JSON.parse(text) as object);
  };
  const read = (file: string): unknown => parse(readFileSync(join(root, file), "utf8"));
  const small = { name: "t", lead: "a", agents: { a: { description: "d", prompt: "p" } } };

  test.each([
    ["team-file", globSync("examples/teams/*.yaml", { cwd: root }), small],
    ["rehearsal-script", globSync("examples/rehearsal/*.yaml", { cwd: root }), { rules: [] }],
  ])("%s takes every example that we ship, and refuses a misspelt field", (name, files, good) => {
    const fits = validate(name);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      fits(read(file));
      expect({ file, errors: fits.errors }).toEqual({ file, errors: null });
    }
    expect(fits(good)).toBe(true);
    expect(fits({ ...good, misspelt: 1 })).toBe(false);
  });

  test.each([
    ["team-file", "docs/team-file.md"],
    ["rehearsal-script", "docs/rehearsal.md"],
  ])(
    "%s is what the line for editors in %s names, and it takes the file below the line",
    (name, page) => {
      const line =
        /```yaml\n# yaml-language-server: \$schema=\.\/node_modules\/agent-switchboard\/(\S+)\n([^]*?)```/;
      const [, path = "", file = ""] = line.exec(readFileSync(join(root, page), "utf8")) ?? [];
      expect(path).toBe(`schema/${name}.json`);
      const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
        files: string[];
      };
      expect(files).toContain("schema");
      const fits = validate(name);
      fits(parse(file));
      expect(fits.errors).toBe(null);
      // Its fields are of this schema: the other one refuses them.
      expect(validate(name === "team-file" ? "rehearsal-script" : "team-file")(parse(file))).toBe(
        false,
      );
    },
  );
});
