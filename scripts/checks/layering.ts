import { matchesGlob } from "node:path";
import {
  blindLoaders,
  closedLayers,
  doors,
  enclosures,
  layers,
  reachableFrom,
  soleImporters,
} from "../layers.ts";
import { findCycle } from "./cycle.ts";
import type { Import } from "./imports.ts";
import { importsOf } from "./imports.ts";
import { filesOf } from "./source-files.ts";

/**
 * Imports in src/ that the map of layers forbids. Imports of types count: they bind layers as well.
 * A check that has read nothing finds nothing, so an empty src/ and a file that cannot be read fail.
 */
export async function checkLayering(root: string): Promise<string[]> {
  const files = filesOf(root, "src/**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}");
  if (files.length === 0) return ["src/ holds no source file: nothing was checked."];
  const imports = files.flatMap((file) => importsOf(root, file));
  const cycle = findCycle(imports);
  return [
    ...files
      .filter((file) => !layerOf(file))
      .map((file) => `${file} is in no layer of scripts/layers.ts.`),
    ...imports.flatMap((each) =>
      reasonsAgainst(each).map((why) => `${each.from} → ${each.to}: ${why}`),
    ),
    ...(cycle ? [`${cycle.join(" → ")}: these imports form a cycle.`] : []),
  ];
}

function reasonsAgainst({ from, to, kind }: Import): string[] {
  const layer = layerOf(from);
  if (layer === undefined) return [];
  if (kind === "nowhere") return ["this import leads nowhere that can be checked."];
  if (kind === "computed") return againstBlindness(from);
  const reasons =
    kind === "package" ? againstPackage(from, layer, to) : againstFile(from, layer, to);
  return reasons.length > 0 ? reasons : againstIntrusion(from, to);
}

function againstIntrusion(from: string, to: string): string[] {
  if (isTest(from)) return [];
  const broken = enclosures.find(
    ({ folder, imports, only }) =>
      from.startsWith(folder) &&
      imports.some((each) => matchesGlob(to, each)) &&
      !only.some((each) => matchesGlob(from, each)),
  );
  return broken ? [`in ${broken.folder} only ${broken.only.join(", ")} may import this.`] : [];
}

function againstBlindness(from: string): string[] {
  return isTest(from) || blindLoaders.includes(from)
    ? []
    : ["what is loaded so cannot be checked."];
}

function againstFile(from: string, layer: string, to: string): string[] {
  if (isTest(to) && !isTest(from)) return ["the program must not import its tests."];
  if (!to.startsWith("src/"))
    return isTest(from) ? [] : ["the program must not import what is outside src/."];
  const allowed = reachableFrom(layer);
  const target = layerOf(to) ?? "";
  if (!allowed.includes(target)) return [`${layer} may import only from ${allowed.join(", ")}.`];
  return target === layer || isTest(from) ? [] : againstDeepImport(target, to);
}

function againstDeepImport(target: string, to: string): string[] {
  const through = doors[target];
  if (!through || through.some((door) => matchesGlob(to, `src/${target}/${door}`))) return [];
  return [`${target} is imported through its doors: ${through.join(", ")}.`];
}

function againstPackage(from: string, layer: string, name: string): string[] {
  if (name === "agent-switchboard") return ["src/ imports itself by relative path."];
  const sole = soleImporters.find(({ dependency }) => dependency === name);
  const counts = sole !== undefined && (sole.testsToo || !isTest(from));
  if (counts && !sole.layers.some((each: string) => each === layer)) {
    return [`only ${sole.layers.join(", ")} may import ${name}.`];
  }
  const closed = closedLayers.find((each) => each.layer === layer);
  if (!closed || isTest(from) || closed.dependencies.some((each: string) => each === name))
    return [];
  return [`from outside, ${layer} may import only ${closed.dependencies.join(", ")}.`];
}

function layerOf(file: string): string | undefined {
  return layers.find((layer) => file.startsWith(`src/${layer}/`));
}

function isTest(file: string): boolean {
  return file.startsWith("test/") || /\.test\.[cm]?[jt]sx?$/.test(file);
}
