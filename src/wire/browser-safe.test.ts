import type { BuildOptions, Metafile } from "esbuild";
import { build } from "esbuild";
import { expect, test } from "vitest";

type Inputs = Metafile["inputs"];

/** Bundles files of this folder for a browser. What is external stays an import and is so seen. */
async function bundle(
  files: string[],
  options: BuildOptions = {},
): Promise<{ text: string; inputs: Inputs }> {
  const contents = files.map((file) => `export * from "./${file}";`).join("\n");
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    platform: "browser",
    format: "esm",
    write: false,
    metafile: true,
    logLevel: "silent",
    external: ["node:*"],
    ...options,
  });
  return { text: outputFiles?.[0]?.text ?? "", inputs: metafile?.inputs ?? {} };
}

const packagesIn = (inputs: Inputs): string[] => {
  const names = Object.keys(inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  return [...new Set(names)];
};

const externalsIn = (inputs: Inputs): string[] =>
  Object.values(inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  );

test("the whole layer runs in a browser and brings nothing but zod", async () => {
  const { inputs } = await bundle(["index.ts"]);
  expect(packagesIn(inputs)).toEqual(["zod"]);
  expect(externalsIn(inputs)).toEqual([]);
  const own = Object.keys(inputs).filter((path) => !path.includes("node_modules/"));
  expect(own.length).toBeGreaterThan(30);
  for (const path of own) expect(path).toMatch(/^(?:src\/(?:text|wire)\/[\w/-]+\.ts|<stdin>)$/);
});

test("its own code names nothing that only Node has", async () => {
  const { text } = await bundle(["index.ts"], { external: ["zod"] });
  const code = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  expect(code.length).toBeGreaterThan(10_000);
  expect(code).not.toMatch(/\b(?:process|Buffer|require|__dirname|setImmediate)\s*[.(]/);
});

// The bridge process must start as fast as bare Node, so what it needs stands without zod.
test("framing, errors and constants bring no package at all", async () => {
  const { inputs } = await bundle(["frame.ts", "errors.ts", "ipc-files.ts", "timeouts.ts"]);
  expect(packagesIn(inputs)).toEqual([]);
  expect(externalsIn(inputs)).toEqual([]);
});
