import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";

export const project = resolve(import.meta.dirname, "../..");

const settings = [
  ".oxlintrc.json",
  ".oxfmtrc.json",
  ".gitignore",
  "knip.json",
  "tsconfig.json",
  "tsconfig.build.json",
];

/** A small project under the real settings, in a directory that goes away with the test. */
export function plant(files: Record<string, string>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sapling-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const file of settings) cpSync(join(project, file), join(root, file));
  symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
  const manifest = { name: "sapling", version: "0.0.0", type: "module" };
  for (const [path, text] of Object.entries({
    "package.json": `${JSON.stringify(manifest, undefined, 2)}\n`,
    ...files,
  })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
