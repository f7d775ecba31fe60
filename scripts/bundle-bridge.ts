// npm run build:bridge: the bridge process as one small file that starts as fast as bare Node. The check of
// arguments lies beside it, because it brings a library that only some calls need.
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
await build({
  absWorkingDir: root,
  entryPoints: {
    child: "src/bridge/child/main.ts",
    "check-arguments": "src/bridge/child/check-arguments.ts",
  },
  outdir: join(root, "dist/bridge"),
  outExtension: { ".js": ".cjs" },
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20",
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
});
