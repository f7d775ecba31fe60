import { parseArgs } from "node:util";
import { errorTable } from "../wire/error-table.ts";
import { toWire } from "../wire/error-wire.ts";
import { loadScript } from "./load-script.ts";
import type { Rehearsal } from "./start-rehearsal.ts";
import { startRehearsal } from "./start-rehearsal.ts";

/**
 * A rehearsal as a process of its own: `main.js SCRIPT [--port N] [--journal FILE] [--linger-ms N]`. Prints one line
 * of JSON with its url when it is ready, or an error as one line of JSON on stderr. With `--linger-ms` it ends when
 * it got no request for that time; by default it stays for ever.
 */
async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: "string" },
      journal: { type: "string" },
      "linger-ms": { type: "string" },
    },
  });
  const rehearsal = await startRehearsal({
    script: await loadScript(positionals[0] ?? ""),
    ...(values.port !== undefined && { port: Number(values.port) }),
    ...(values.journal !== undefined && { journalFile: values.journal }),
  });
  // The process that started us may be gone; we go on.
  process.stdout.on("error", () => {});
  process.stdout.write(`${JSON.stringify({ url: rehearsal.url, pid: process.pid })}\n`);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.once(signal, () => end(rehearsal));
  }
  const lingerMs = Number(values["linger-ms"] ?? Infinity);
  if (lingerMs === Infinity) return;
  setInterval(() => rehearsal.idleMs >= lingerMs && end(rehearsal), Math.min(lingerMs / 4, 1000));
}

const end = (rehearsal: Rehearsal): void => void rehearsal.close().finally(() => process.exit(0));

try {
  await main();
} catch (error) {
  const wire = toWire(error);
  process.stderr.write(`${JSON.stringify(wire)}\n`);
  process.exitCode = errorTable[wire.code].exit;
}
