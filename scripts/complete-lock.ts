// node scripts/complete-lock.ts: run it after `npm install` when the check of the lock file asks for it.
//
// A registry mirror may not hold the packages that only other platforms install. npm then leaves them
// out of the lock file, and `npm ci` refuses that file later, on every machine. This adds an entry for
// each, without a hash, so that npm knows them by platform and passes them over. The next
// `npm install --package-lock-only` puts the fields into npm's own order.
import { readFileSync, writeFileSync } from "node:fs";
import type { Lock, LockedPackage } from "./checks/lock-file.ts";
import { missingFrom } from "./checks/lock-file.ts";

const file = "package-lock.json";
const lock = JSON.parse(readFileSync(file, "utf8")) as Lock;

for (const { name, version, dev } of missingFrom(lock)) {
  lock.packages[`node_modules/${name}`] = {
    version,
    ...platformOf(name),
    ...(dev && { dev }),
    optional: true,
  };
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
writeFileSync(
  file,
  `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`,
);

/** Such packages carry their platform in their name: `…-linux-arm64-musl`. */
function platformOf(name: string): Pick<LockedPackage, "os" | "cpu" | "libc"> {
  if (name.endsWith("wasm32-wasi")) return { cpu: ["wasm32"] };
  const [, os, cpu, abi = ""] =
    /(android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-(\w+))?$/.exec(name) ?? [];
  if (os === undefined || cpu === undefined) throw new Error(`${name} does not say its platform.`);
  const libc = abi.startsWith("gnu") ? "glibc" : abi.startsWith("musl") ? "musl" : undefined;
  return { os: [os], cpu: [cpu], ...(os === "linux" && libc !== undefined && { libc: [libc] }) };
}
