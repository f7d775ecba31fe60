import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dirname, normalize } from "node:path/posix";
import { parseSync, Visitor } from "oxc-parser";

export interface Import {
  from: string;
  /** The file, relative to the root; or the package, or the module of Node, that is imported. */
  to: string;
  kind: "file" | "package" | "nowhere";
}

/**
 * Every import of a file: of values and of types, static and lazy, and what is exported onwards. Left
 * out is a lazy import of a computed name: that is how a program loads a file of its user.
 */
export function importsOf(root: string, file: string): Import[] {
  const { program, errors } = parseSync(file, readFileSync(join(root, file), "utf8"));
  if (errors[0])
    throw new Error(`${file} cannot be read: ${errors[0].codeframe ?? errors[0].message}`);
  const specifiers: string[] = [];
  const note = (source: { value?: unknown } | null): void => {
    if (typeof source?.value === "string") specifiers.push(source.value);
  };
  new Visitor({
    ImportDeclaration: (node) => note(node.source),
    ExportNamedDeclaration: (node) => note(node.source),
    ExportAllDeclaration: (node) => note(node.source),
    ImportExpression: (node) => note(node.source as { value?: unknown }),
    TSImportType: (node) => note(node.source),
    TSExternalModuleReference: (node) => note(node.expression),
  }).visit(program);
  return specifiers.map((specifier) => ({ from: file, ...targetOf(root, file, specifier) }));
}

function targetOf(root: string, file: string, specifier: string): Pick<Import, "to" | "kind"> {
  if (!specifier.startsWith(".")) return { to: packageOf(specifier), kind: "package" };
  const to = normalize(join(dirname(file), specifier.replace(/\?.*$/, "")));
  return { to, kind: existsSync(join(root, to)) ? "file" : "nowhere" };
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
