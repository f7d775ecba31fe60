import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { pageAliases } from "../../web/page-build.ts";

export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

/** One of the pages beside this file, bundled as for production. `packages` is where it finds what is not ours. */
export async function bundlePage(name: string, packages: readonly string[]): Promise<PageFiles> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "pages", `${name}.js`)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    outdir: "/",
    target: "es2023",
    alias: pageAliases,
    jsx: "automatic",
    jsxImportSource: "preact",
    nodePaths: [...packages],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  const tokens = await readFile(join(import.meta.dirname, "../../web/src/look/tokens.css"), "utf8");
  const textOf = (end: string): string =>
    outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "";
  return { script: textOf(".js"), style: tokens + textOf(".css") };
}
