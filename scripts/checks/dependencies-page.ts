import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Every dependency has its line of justification in docs/dependencies.md, and no other has one. */
export async function checkDependenciesPage(root: string): Promise<string[]> {
  const installed = ["package.json", "web/package.json"].flatMap((file) =>
    dependenciesIn(root, file),
  );
  const justified = rowsOf(readFileSync(join(root, "docs/dependencies.md"), "utf8"));
  const names = installed.map(([name]) => name);
  return [
    ...names
      .filter((name) => !justified.has(name))
      .map((name) => `docs/dependencies.md does not justify ${name}.`),
    ...[...justified]
      .filter(([, why]) => why === "")
      .map(([name]) => `docs/dependencies.md names ${name} without a reason.`),
    ...[...justified.keys()]
      .filter((name) => !names.includes(name))
      .map((name) => `docs/dependencies.md justifies ${name}, which package.json does not have.`),
    ...installed
      .filter(([, version]) => !/^(?:npm:.+@)?\d/.test(version))
      .map(([name, version]) => `package.json does not pin ${name} exactly: ${version}.`),
  ];
}

/** The page has a manifest of its own, where there is a page. */
function dependenciesIn(root: string, file: string): [string, string][] {
  if (!existsSync(join(root, file))) return [];
  const manifest = JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest;
  return Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
}

function rowsOf(page: string): Map<string, string> {
  const rows = page.matchAll(/^\| `([^`]+)` *\|(.*)\|$/gm);
  return new Map([...rows].map(([, name = "", why = ""]) => [name, why.trim()]));
}
