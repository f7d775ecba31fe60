// npm run build:agent-socket: a few files in place of one for each module. Importing the host so took 0.6 of
// the CPU time and 13 MB less (three imports each, on a busy machine; not the whole start of a session). The
// Agent SDK stays outside: it is large already, and it looks for the CLI beside itself.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const outdir = join(root, "dist/programs");

// Parts have names that change with their content.
await rm(outdir, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ["src/cli/agent-socket.ts"],
  outdir,
  bundle: true,
  // What only some commands need is still loaded only by them.
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node24",
  // Node has it. What esbuild makes of `await using` in a loop throws the first failure in each round.
  supported: { using: true },
  minifyWhitespace: true,
  minifySyntax: true,
  external: ["@anthropic-ai/claude-agent-sdk"],
  // Packages in CommonJS ask for Node's own modules with it.
  banner: {
    js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
  },
  logLevel: "warning",
});
