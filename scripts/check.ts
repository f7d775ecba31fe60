import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { runTool } from "./checks/command.ts";
import { checkAssertions } from "./checks/assertions.ts";
import { checkDependenciesPage } from "./checks/dependencies-page.ts";
import { checkFileLength } from "./checks/file-length.ts";
import { checkForbiddenWords } from "./checks/forbidden-words.ts";
import { checkLayering } from "./checks/layering.ts";
import { checkLockFile } from "./checks/lock-file.ts";
import { checkPackage } from "./checks/package.ts";
import { checkPageImports } from "./checks/page-imports.ts";
import { checkPageSize } from "./checks/page-size.ts";
import { checkTypeNames } from "./checks/type-names.ts";
import type { Check } from "./checks/run-checks.ts";
import { runChecks } from "./checks/run-checks.ts";

const tool = (name: string, command: string, ...args: string[]): Check => ({
  name,
  run: (root) => runTool(root, command, ...args),
});

// The slow ones first, so that the quick ones fill the second core.
const checks: Check[] = [
  { name: "package", run: checkPackage },
  tool("lint", "oxlint", "--deny-warnings"),
  tool("types", "tsc", "-p", "."),
  tool("types of the page", "tsc", "-p", "web"),
  tool("types in the browser", "tsc", "-p", "test/browser"),
  { name: "size of the page", run: checkPageSize },
  { name: "imports of the page", run: checkPageImports },
  tool("dead code", "knip", "--no-progress", "--no-config-hints"),
  { name: "layering", run: checkLayering },
  tool("schemas", "node", "scripts/schemas.ts", "--check"),
  tool("format", "oxfmt", "--check"),
  { name: "file length", run: checkFileLength },
  { name: "dependencies", run: checkDependenciesPage },
  { name: "lock file", run: checkLockFile },
  { name: "words", run: checkForbiddenWords },
  { name: "type names", run: checkTypeNames },
  { name: "assertions", run: checkAssertions },
];

// `npm run check -- lint types` runs only those; `--root DIR` judges another copy.
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { root: { type: "string", default: "." } },
});
const unknown = positionals.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  const known = checks.map(({ name }) => name).join(", ");
  throw new Error(`There is no check named ${unknown.join(", ")}; there are ${known}.`);
}
const chosen = checks.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const passed = await runChecks(chosen, resolve(values.root), (text) => console.log(text));
process.exitCode = passed ? 0 : 1;
