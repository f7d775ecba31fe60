import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { parseSync, Visitor } from "oxc-parser";
import type { Node } from "oxc-parser";
import { pageEntries, pageRanks } from "../layers.ts";
import { filesOf } from "./source-files.ts";

interface Found {
  readonly from: string;
  readonly name: string;
}

/**
 * Imports of the page that its map forbids: it uses our public entries and nothing deeper, what its own manifest names,
 * and files of its own folders from the rows above.
 */
export function checkPageImports(root: string): Promise<string[]> {
  const files = filesOf(root, "web/src/**/*.{ts,tsx}");
  if (files.length === 0) return Promise.resolve(["web/src holds no source file."]);
  const manifest = JSON.parse(readFileSync(join(root, "web/package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  const packages = Object.keys(manifest.devDependencies);
  const imports = files.flatMap((file) => importsOf(root, file));
  return Promise.resolve(
    imports.flatMap((each) => {
      const why = reasonAgainst(each, packages);
      return why === undefined ? [] : [`${each.from} → ${each.name}: ${why}`];
    }),
  );
}

function reasonAgainst({ from, name }: Found, packages: readonly string[]): string | undefined {
  if (!name.startsWith(".")) return isTest(from) ? undefined : reasonAgainstPackage(name, packages);
  const to = normalize(join(dirname(from), name));
  if (!to.startsWith("web/src/")) {
    return isTest(from) ? undefined : "the page imports its own files and public entries only.";
  }
  const [here, there] = [rankOf(from), rankOf(to)];
  if (here === undefined || isTest(from)) return undefined;
  if (folderOf(from) === folderOf(to)) return undefined;
  return there !== undefined && there < here
    ? undefined
    : "a folder of the page imports only from the rows above its own in scripts/layers.ts.";
}

function reasonAgainstPackage(name: string, packages: readonly string[]): string | undefined {
  if (name.startsWith("agent-switchboard")) {
    return pageEntries.includes(name) ? undefined : `ours are only ${pageEntries.join(", ")}.`;
  }
  // zod is there because our own schemas are.
  const isKnown = packages.some(
    (each) => [name, `@types/${name}`].includes(each) || name.startsWith(`${each}/`),
  );
  return isKnown || name === "zod" ? undefined : "web/package.json does not name it.";
}

const folderOf = (file: string): string => file.split("/")[2] ?? "";

/** Undefined for the files beside the folders. */
function rankOf(file: string): number | undefined {
  const rank = pageRanks.findIndex((row) => row.includes(folderOf(file)));
  if (rank >= 0) return rank;
  if (file.split("/").length === 3) return undefined;
  throw new Error(`${file} is in no folder of the page's map in scripts/layers.ts.`);
}

const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);

function importsOf(root: string, file: string): Found[] {
  const { program } = parseSync(file, readFileSync(join(root, file), "utf8"));
  const found: Found[] = [];
  const note = (source: Node | null | undefined): void => {
    if (source?.type === "Literal") found.push({ from: file, name: String(source.value) });
  };
  new Visitor({
    ImportDeclaration: (node) => note(node.source),
    ExportNamedDeclaration: (node) => note(node.source),
    ExportAllDeclaration: (node) => note(node.source),
    ImportExpression: (node) => note(node.source),
    TSImportType: (node) => note(node.source),
  }).visit(program);
  return found;
}
