import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Statement } from "oxc-parser";
import { parseSync } from "oxc-parser";
import { filesOf } from "./source-files.ts";

/** Names that every reader takes for something else: what Node and browsers have as globals, and TypeScript's own types. */
const wellKnown = new Set([
  ...Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]/.test(name)),
  ..."Awaited Capitalize Exclude Extract InstanceType NonNullable Omit Parameters Partial Pick Readonly Record Required ReturnType".split(
    " ",
  ),
  ..."Duplex Readable Transform Writable EventEmitter Socket Timeout Worker".split(" "),
  ..."Document Element History Location Navigator Node Notification Storage Window".split(" "),
]);

const declaring = new Set([
  "TSTypeAliasDeclaration",
  "TSInterfaceDeclaration",
  "ClassDeclaration",
  "TSEnumDeclaration",
]);

/**
 * Exported types of src/ whose name means two things: another file declares it too, or every reader knows it as a
 * global. An entry file may export a type under another name; only declarations count.
 */
export async function checkTypeNames(root: string): Promise<string[]> {
  const files = filesOf(root, "src/**/*.{ts,tsx}").filter((file) => !/\.test\.tsx?$/.test(file));
  if (files.length === 0) return ["src/ holds no source file: nothing was checked."];
  const declaredIn = new Map<string, string[]>();
  for (const file of files) {
    for (const name of exportedTypes(root, file)) {
      declaredIn.set(name, [...(declaredIn.get(name) ?? []), file]);
    }
  }
  return [...declaredIn]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, places]) => [
      ...(places.length > 1
        ? [`The type ${name} is declared in ${places.join(" and ")}. Rename all but one.`]
        : []),
      ...(wellKnown.has(name)
        ? [`${places[0]} exports a type ${name}, the name of a well-known global. Rename it.`]
        : []),
    ]);
}

function exportedTypes(root: string, file: string): Set<string> {
  const { program, errors } = parseSync(file, readFileSync(join(root, file), "utf8"));
  if (errors[0]) throw new Error(`${file} cannot be read: ${errors[0].message}`);
  const own = new Set(program.body.flatMap(declaredBy));
  return new Set(
    program.body.flatMap((statement) => {
      if (statement.type !== "ExportNamedDeclaration" || statement.source) return [];
      const listed = statement.specifiers.flatMap(({ local }) =>
        local.type === "Identifier" && own.has(local.name) ? [local.name] : [],
      );
      return [...(statement.declaration ? declaredBy(statement.declaration) : []), ...listed];
    }),
  );
}

const declaredBy = (statement: Statement): string[] =>
  declaring.has(statement.type) && "id" in statement && statement.id && "name" in statement.id
    ? [statement.id.name]
    : [];
