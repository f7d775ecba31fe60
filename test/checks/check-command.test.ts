import { randomBytes } from "node:crypto";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plant, project } from "./sapling.ts";

/** A page with one file in its folder `ui`. */
const pageOf = (text: string): Record<string, string> => ({
  "web/package.json": '{ "devDependencies": { "preact": "11.2.0" } }',
  "web/src/ui/x.ts": text,
});

/** A page that can be built, with this module in its first load. */
const builtPage = (text: string): Record<string, string> => ({
  "web/index.html": '<script type="module" src="./entry.js"></script>\n',
  "web/vite.config.js":
    "export default { root: import.meta.dirname, build: { manifest: true } };\n",
  "web/entry.js": 'import { text } from "./text.js";\ndocument.title = text;\n',
  "web/text.js": text,
});

/** Text that does not get smaller when it is compressed. */
const noise = (bytes: number): string => randomBytes(bytes).toString("hex");

const lines = (count: number): string => "// a line\n".repeat(count);
const page = (...rows: string[]): string => `# Dependencies\n\n${rows.join("\n")}\n`;
const lock = (entry: object): string =>
  JSON.stringify({ packages: { "": {}, "node_modules/zod": { integrity: "sha512-x", ...entry } } });
const entryOf = (text: string) => ({
  "src/wire/index.ts": 'export { used } from "./used.ts";\n',
  "src/wire/used.ts": text,
});

const testOf = (body: string) => ({
  "src/net/x.test.ts": `import { expect, test } from "vitest";\n\ntest("x", async () => {\n${body}\n});\n`,
});

const packageOf = (entry: string) => ({
  "package.json": JSON.stringify({
    name: "sapling",
    version: "0.0.0",
    license: "MIT",
    type: "module",
    files: ["dist"],
    exports: { "./wire": { types: entry.replace(/js$/, "d.ts"), default: entry } },
  }),
  "src/wire/index.ts": "export const x = 1;\n",
});

interface Case {
  check: string;
  kind: string;
  good: Record<string, string>;
  bad: Record<string, string>;
  says: string;
}

const cases: Case[] = [
  {
    check: "lint",
    kind: "a floating promise",
    good: { "src/net/x.ts": "export const x = async (): Promise<void> => {};\nawait x();\n" },
    bad: { "src/net/x.ts": "export const x = async (): Promise<void> => {};\nx();\n" },
    says: "no-floating-promises",
  },
  {
    check: "lint",
    kind: "node:readline",
    good: { "src/net/x.ts": "export const x = 1;\n" },
    bad: { "src/net/x.ts": 'export { createInterface } from "node:readline";\n' },
    says: "U+2028",
  },
  {
    check: "types",
    kind: "a value of the wrong type",
    good: { "src/net/x.ts": "export const x: number = 1;\n" },
    bad: { "src/net/x.ts": 'export const x: number = "1";\n' },
    says: "TS2322",
  },
  {
    check: "format",
    kind: "a file that is not formatted",
    good: { "src/net/x.ts": "export const x = 1;\n" },
    bad: { "src/net/x.ts": "export const x=1\n" },
    says: "src/net/x.ts",
  },
  {
    check: "layering",
    kind: "an import that points up",
    good: { "src/wire/x.ts": "export const x = 1;\n" },
    bad: {
      "src/wire/x.ts": 'export * from "../cli/y.ts";\n',
      "src/cli/y.ts": "export const y = 1;\n",
    },
    says: "src/wire/x.ts → src/cli/y.ts",
  },
  {
    check: "dead code",
    kind: "an export that nobody imports",
    good: entryOf("export const used = 1;\n"),
    bad: entryOf("export const used = 1;\nexport const forgotten = 2;\n"),
    says: "forgotten",
  },
  {
    check: "dead code",
    kind: "a file that nobody imports",
    good: entryOf("export const used = 1;\n"),
    bad: {
      ...entryOf("export const used = 1;\n"),
      "src/net/forgotten.ts": "export const x = 1;\n",
    },
    says: "src/net/forgotten.ts",
  },
  {
    check: "dead code",
    kind: "a dependency that nobody imports",
    good: entryOf("export const used = 1;\n"),
    bad: {
      ...entryOf("export const used = 1;\n"),
      "package.json": JSON.stringify({
        name: "sapling",
        type: "module",
        dependencies: { pino: "10.4.0" },
      }),
    },
    says: "pino",
  },
  {
    check: "package",
    kind: "an entry that leads to no packed file",
    good: packageOf("./dist/wire/index.js"),
    bad: packageOf("./dist/nowhere/index.js"),
    says: "./dist/nowhere/index.js but the file does not exist",
  },
  {
    check: "package",
    kind: "source that cannot be built",
    good: packageOf("./dist/wire/index.js"),
    bad: { ...packageOf("./dist/wire/index.js"), "src/wire/index.ts": "export const x = ;\n" },
    says: "src/wire/index.ts",
  },
  {
    check: "imports of the page",
    kind: "an import of the page from the depths of src/",
    good: pageOf('import { fold } from "agent-switchboard/client/core";\nexport const x = fold;\n'),
    bad: pageOf('import { fold } from "../../../src/client/fold.ts";\nexport const x = fold;\n'),
    says: "the page imports its own files and public entries only",
  },
  {
    check: "imports of the page",
    kind: "an entry that browsers have no use for",
    good: pageOf('import type { Task } from "agent-switchboard/wire";\nexport type X = Task;\n'),
    bad: pageOf('import type { Task } from "agent-switchboard/team";\nexport type X = Task;\n'),
    says: "ours are only agent-switchboard/client/core",
  },
  {
    check: "imports of the page",
    kind: "a package that the page does not name",
    good: pageOf('import { h } from "preact";\nexport const x = h;\n'),
    bad: pageOf('import React from "react";\nexport const x = React;\n'),
    says: "web/package.json does not name it",
  },
  {
    check: "imports of the page",
    kind: "an import that points up in the page's own map",
    good: pageOf('import { t } from "../words/words.ts";\nexport const x = t;\n'),
    bad: pageOf('export const lazy = () => import("../app/page.tsx");\n'),
    says: "a folder of the page imports only from the rows above its own",
  },
  {
    check: "size of the page",
    kind: "a first load that is too large",
    good: builtPage("export const text = 'small';\n"),
    bad: builtPage(`export const text = "${noise(300_000)}";\n`),
    says: "150000 are allowed",
  },
  {
    check: "file length",
    kind: "a file of 401 lines",
    good: { "src/net/x.ts": lines(400) },
    bad: { "src/net/x.ts": lines(401) },
    says: "src/net/x.ts has 401 lines",
  },
  {
    check: "file length",
    kind: "a project without source",
    good: { "src/net/x.ts": lines(1) },
    bad: {},
    says: "nothing was checked",
  },
  {
    check: "dependencies",
    kind: "a dependency without a reason",
    good: {
      "package.json": '{ "dependencies": { "zod": "4.6.7" } }',
      "docs/dependencies.md": page("| `zod` | schemas |"),
    },
    bad: {
      "package.json": '{ "dependencies": { "zod": "4.6.7" } }',
      "docs/dependencies.md": page("| `zod` |  |"),
    },
    says: "names zod without a reason",
  },
  {
    check: "dependencies",
    kind: "a dependency that the page does not have",
    good: { "docs/dependencies.md": page() },
    bad: {
      "package.json": '{ "devDependencies": { "zod": "4.6.7" } }',
      "docs/dependencies.md": page(),
    },
    says: "does not justify zod",
  },
  {
    check: "dependencies",
    kind: "a line for a dependency that is gone",
    good: { "docs/dependencies.md": page() },
    bad: { "docs/dependencies.md": page("| `zod` | schemas |") },
    says: "justifies zod, which package.json does not have",
  },
  {
    check: "dependencies",
    kind: "a range of versions",
    good: { "docs/dependencies.md": page() },
    bad: {
      "package.json": '{ "dependencies": { "zod": "^4.6.7" } }',
      "docs/dependencies.md": page("| `zod` | schemas |"),
    },
    says: "does not pin zod exactly",
  },
  {
    check: "lock file",
    kind: "the address of a registry",
    good: { "package-lock.json": lock({}) },
    bad: { "package-lock.json": lock({ resolved: "https://mirror.example/zod.tgz" }) },
    says: "https://mirror.example/zod.tgz",
  },
  {
    check: "lock file",
    kind: "a package without a hash",
    good: { "package-lock.json": lock({}) },
    bad: { "package-lock.json": lock({ integrity: undefined }) },
    says: "no hash of node_modules/zod",
  },
  {
    check: "lock file",
    kind: "a package that runs a script when it is installed, and that nobody has allowed to",
    good: { "package-lock.json": lock({ hasInstallScript: false }) },
    bad: { "package-lock.json": lock({ hasInstallScript: true }) },
    says: "zod runs a script when it is installed; allowScripts does not list it.",
  },
  {
    check: "lock file",
    kind: "a lock without the packages of other platforms, which npm ci refuses",
    good: { "package-lock.json": lock({ optionalDependencies: {} }) },
    bad: { "package-lock.json": lock({ optionalDependencies: { "zod-darwin-x64": "1.0.0" } }) },
    says: "lacks zod-darwin-x64",
  },
  {
    check: "words",
    kind: "a path of one machine",
    good: { "docs/x.md": "Look into /tmp or ~/notes.\n" },
    bad: { "docs/x.md": `Look into ${["", "home", "jo", "notes"].join("/")}.\n` },
    says: "docs/x.md:1 has a path of one machine",
  },
  {
    check: "words",
    kind: "the address of a registry",
    good: { "src/net/x.ts": "export const x = 1;\n" },
    bad: { "src/net/x.ts": `// ${["registry", "example"].join(".")}\n` },
    says: "src/net/x.ts:1 has the address of a registry",
  },
  {
    check: "words",
    kind: "a comment that turns lint off",
    good: { "src/net/x.ts": "export const x = 1;\n" },
    bad: { "src/net/x.ts": `export const x = 1; // ${["oxlint", "disable"].join("-")}\n` },
    says: "src/net/x.ts:1 has a switch that turns a check off",
  },
  {
    check: "words",
    kind: "a word that has a plainer one",
    good: { "src/net/x.ts": "/** Returns it. */\nexport const x = 1;\n" },
    bad: { "src/net/x.ts": "/** Gives back the socket. */\nexport const x = 1;\n" },
    says: "src/net/x.ts:1 has a word that has a plainer one",
  },
  {
    check: "type names",
    kind: "a type name that two files export",
    good: {
      "src/net/x.ts": "export interface Site {}\n",
      "src/bus/y.ts": "interface Site {}\nexport const y: Site = {};\n",
    },
    bad: {
      "src/net/x.ts": "export interface Site {}\n",
      "src/bus/y.ts": "type Site = string;\nexport type { Site };\n",
    },
    says: "The type Site is declared in src/bus/y.ts and src/net/x.ts",
  },
  {
    check: "type names",
    kind: "a type that is named like a global",
    good: { "src/net/x.ts": "export interface HttpRequest {}\n" },
    bad: { "src/net/x.ts": "export interface Request {}\n" },
    says: "exports a type Request, the name of a well-known global",
  },
  {
    check: "lint",
    kind: "a test without an expectation",
    good: testOf("expect(await Promise.resolve(1)).toBe(1);"),
    bad: testOf("await Promise.resolve(1);"),
    says: "expect-expect",
  },
  {
    check: "lint",
    kind: "an expectation without a matcher",
    good: testOf("expect(await Promise.resolve(1)).toBe(1);"),
    bad: testOf("expect(await Promise.resolve(1));"),
    says: "valid-expect",
  },
  {
    check: "lint",
    kind: "an expectation that is not awaited",
    good: testOf("await expect.poll(() => 1).toBe(1);"),
    bad: testOf("void expect.poll(() => 1).toBe(1);"),
    says: "require-awaited-expect-poll",
  },
  {
    check: "assertions",
    kind: "a test that expects something only in a loop over an unknown list",
    good: testOf("for (const x of [1, 2]) expect(x).toBe(x);"),
    bad: testOf("for (const x of Object.keys(process.env)) expect(x).toBe(x);"),
    says: "src/net/x.test.ts:3 has a test whose expectations may all be skipped",
  },
  {
    check: "assertions",
    kind: "a test that expects something only for each element of an unknown list",
    good: testOf('["a"].forEach((x) => expect(x).toBe(x));'),
    bad: testOf("process.argv.forEach((x) => expect(x).toBe(x));"),
    says: "src/net/x.test.ts:3 has a test whose expectations may all be skipped",
  },
  {
    check: "assertions",
    kind: "a test that expects something only in a branch",
    good: testOf("if (process.pid > 1) await Promise.resolve();\nexpect(1).toBe(1);"),
    bad: testOf("if (process.pid > 1) expect(1).toBe(1);"),
    says: "src/net/x.test.ts:3 has a test whose expectations may all be skipped",
  },
];

describe("npm run check", () => {
  it.each(cases)("$check: refuses $kind", ({ check, good, bad, says }) => {
    expect(runCheck(plant(good), check)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^✓/),
    });
    const { status, stdout } = runCheck(plant(bad), check);
    expect(stdout).toMatch(/^✗/);
    expect(stdout).toContain(says);
    expect(status).toBe(1);
  });

  it("schemas: refuses a generated file that its source has left behind", () => {
    const root = plant({});
    for (const folder of ["scripts", "src", "schema", "docs"]) {
      cpSync(join(project, folder), join(root, folder), { recursive: true });
    }
    execFileSync(process.execPath, ["scripts/schemas.ts"], { cwd: root });
    expect(runCheck(root, "schemas")).toMatchObject({ status: 0 });
    const table = join(root, "src/wire/error-table.ts");
    writeFileSync(table, readFileSync(table, "utf8").replace("504, 75, true", "503, 75, true"));
    const { status, stdout } = runCheck(root, "schemas");
    expect(stdout).toContain("docs/errors.md is stale");
    expect(status).toBe(1);
  });

  it("refuses the name of a check that it does not have", () => {
    const { status, stderr } = runCheck(project, "lnit");
    expect(stderr).toContain("There is no check named lnit");
    expect(status).not.toBe(0);
  });
});

function runCheck(root: string, check: string) {
  const args = [join(project, "scripts/check.ts"), "--root", root, check];
  return spawnSync(process.execPath, args, { encoding: "utf8" });
}
