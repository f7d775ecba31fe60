import { resolve } from "node:path";
import { defineConfig } from "vite";
import { pageAliases, pageJsx } from "./page-build.ts";

// The page is a part of the package: everything in it, the fonts too, is served by the gateway.
export default defineConfig({
  root: import.meta.dirname,
  resolve: { alias: pageAliases },
  oxc: { jsx: pageJsx },
  build: {
    outDir: resolve(import.meta.dirname, "../dist/page"),
    emptyOutDir: true,
    target: "es2023",
    manifest: true,
    // Inlined files would need `data:` in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
