import { build } from "esbuild";
import { expect, test } from "vitest";

test("client/core runs in a browser and imports only zod", async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/core.ts`],
    bundle: true,
    platform: "browser",
    format: "esm",
    write: false,
    metafile: true,
    logLevel: "silent",
    minifyWhitespace: true,
    external: ["node:*", "zod"],
  });
  const inputs = Object.entries(metafile.inputs);
  expect(inputs.length).toBeGreaterThan(20);
  for (const [path] of inputs)
    expect(path).toMatch(/^src\/(?:text|time|wire|session-state|stream|client)\/[\w/-]+\.ts$/);
  const outside = inputs.flatMap(([, { imports }]) => imports.filter(({ external }) => external));
  expect(new Set(outside.map(({ path }) => path))).toEqual(new Set(["zod"]));
  const code = outputFiles[0]?.text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""') ?? "";
  expect(code).not.toMatch(/\b(?:process|Buffer|require|__dirname|setImmediate)\s*[.(]/);
});
