import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { tempDir } from "./temp-dir.ts";

/**
 * The real CLI, whose standard input is held back until the file `gate` exists: what the SDK says at initialisation
 * comes late, as from a host that has much to do.
 */
export function lateCli(gate: string): string {
  const path = join(tempDir(), "late-claude");
  const cli = `"${locateCli()}" "$@"`;
  writeFileSync(
    path,
    `#!/bin/bash
[ "$1" = --version ] && exec ${cli}
{ until [ -e "${gate}" ]; do sleep 0.1; done; exec cat; } | ${cli}
`,
  );
  chmodSync(path, 0o755);
  return path;
}
