import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import { build } from "esbuild";
import type { Command } from "./command.ts";
import { node } from "./command.ts";

const root = join(import.meta.dirname, "../..");

/** The bridge process is measured as it is shipped, and as its source is now. */
export async function buildBridge(): Promise<void> {
  const npm = spawn("npm", ["run", "--silent", "build:bridge"], { cwd: root, stdio: "inherit" });
  const [code] = await once(npm, "exit");
  if (code !== 0) throw new Error("npm run build:bridge failed.");
}

/** The library's server in both forms in which people ship it, so that Node has no types to strip. */
export async function buildLibraryServer(): Promise<Record<"bundled" | "unbundled", Command>> {
  const program = new URL("./programs/library-server.ts", import.meta.url).pathname;
  // Below the project, so that the unbundled one finds the packages.
  const place = join(root, "bench/results/built");
  const options: BuildOptions = {
    entryPoints: [program],
    bundle: true,
    platform: "node",
    format: "esm",
  };
  const bundled = join(place, "library-server-bundled.mjs");
  const unbundled = join(place, "library-server.mjs");
  await build({ ...options, minify: true, outfile: bundled });
  await build({ ...options, packages: "external", outfile: unbundled });
  return { bundled: node(bundled), unbundled: node(unbundled) };
}
