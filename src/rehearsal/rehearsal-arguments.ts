import { findPackageJSON } from "node:module";
import { dirname, join, resolve } from "node:path";

/** Node's arguments for a rehearsal in a process of its own: the program, the script, and flags such as `--port`. */
export const rehearsalArguments = (script: string, ...flags: string[]): string[] => [
  programFile(),
  resolve(script),
  ...flags,
];

/** The compiled program if this code is compiled. Our own path cannot tell: we may be part of a bundle. */
function programFile(): string {
  const root = dirname(findPackageJSON(import.meta.url) ?? "");
  const file = import.meta.url.endsWith(".ts") ? "src/rehearsal/main.ts" : "dist/rehearsal/main.js";
  return join(root, file);
}
