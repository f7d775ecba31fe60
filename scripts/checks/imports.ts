import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dirname, normalize } from "node:path/posix";
import type { Node } from "oxc-parser";
import { parseSync, Visitor } from "oxc-parser";
import { textsOf } from "./constant-text.ts";

export interface Import {
  from: string;
  /** The file, relative to the root; or the package, or the module of Node; or how a computed name is written. */
  to: string;
  kind: "file" | "package" | "nowhere" | "computed";
}

/** `/// <reference path="…" />`, without the first two slashes. */
const reference = /^\/\s*<reference\s+(?<by>path|types)\s*=\s*["'](?<name>[^"']+)["']/;

/** By whatever way one reaches these, they load a module without an import. */
const loaders = ["createRequire", "getBuiltinModule"];

/**
 * Every import of a file: of values and of types, static and lazy, what is exported onwards, and a file of
 * src/ that is named by its place, as for a worker thread.
 */
export function importsOf(root: string, file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const { program, comments, errors } = parseSync(file, text, { preserveParens: false });
  if (errors[0])
    throw new Error(`${file} cannot be read: ${errors[0].codeframe ?? errors[0].message}`);
  const found: Pick<Import, "to" | "kind">[] = [];
  const note = (source: Node | null | undefined): void => {
    if (!source) return;
    const names = textsOf(source);
    found.push(...names.map((name) => targetOf(root, file, name)));
    if (names.length === 0) {
      found.push({ to: text.slice(source.start, source.end), kind: "computed" });
    }
  };
  const noteOurs = (name: string): void => {
    const target = targetOf(root, file, name);
    if (target.kind === "file" && target.to.startsWith("src/")) found.push(target);
  };
  const noteLoader = (name: unknown): void => {
    const isNew = !found.some(({ to }) => to === name);
    if (isNew && loaders.some((each) => each === name)) {
      found.push({ to: String(name), kind: "computed" });
    }
  };
  new Visitor({
    ImportDeclaration: (node) => note(node.source),
    ExportNamedDeclaration: (node) => note(node.source),
    ExportAllDeclaration: (node) => note(node.source),
    ImportExpression: (node) => note(node.source),
    TSImportType: (node) => note(node.source),
    TSExternalModuleReference: (node) => note(node.expression),
    TSModuleDeclaration: (node) => {
      if (node.id.type === "Literal") note(node.id);
    },
    CallExpression: ({ callee, arguments: [name] }) => {
      if (callee.type === "Identifier" && callee.name === "require") note(name);
    },
    NewExpression: ({ callee, arguments: [name] }) => {
      if (callee.type === "Identifier" && callee.name === "URL") textsOf(name).forEach(noteOurs);
    },
    Identifier: ({ name }) => noteLoader(name),
    Literal: ({ value }) => noteLoader(value),
  }).visit(program);
  for (const { value } of comments) {
    const { by, name = "" } = reference.exec(value)?.groups ?? {};
    if (by === "types") found.push(targetOf(root, file, name));
    if (by === "path") found.push(targetOf(root, file, /^[./]/.test(name) ? name : `./${name}`));
  }
  return found.map((target) => ({ from: file, ...target }));
}

function targetOf(root: string, file: string, specifier: string): Pick<Import, "to" | "kind"> {
  // Absolute, an address, or an alias.
  if (/^[/#]|^(?!node:)[a-z][a-z+.-]*:/i.test(specifier)) return { to: specifier, kind: "nowhere" };
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
