import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { errorsPage } from "./generate/errors-page.ts";
import { jsonSchemaFiles } from "./generate/json-schemas.ts";

// Writes what is generated from src/wire into the current directory; `--check` only compares.

const files = new Map([...jsonSchemaFiles(), ["docs/errors.md", errorsPage()]]);

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
if (values.check) reportStale();
else writeAll();

function writeAll(): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function reportStale(): void {
  const stale = [...files].filter(([path, text]) => textOf(path) !== text).map(([path]) => path);
  const strays = globSync("schema/*.json").filter((path) => !files.has(path));
  for (const path of stale) console.error(`${path} is stale: run "npm run generate".`);
  for (const path of strays) console.error(`${path} is not generated any more: delete it.`);
  if (stale.length + strays.length > 0) process.exitCode = 1;
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
