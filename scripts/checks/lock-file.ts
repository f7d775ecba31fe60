import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface LockedPackage {
  version?: string;
  resolved?: string;
  /** A workspace of this repository. */
  link?: boolean;
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

export interface Lock {
  packages: Record<string, LockedPackage>;
}

/**
 * The lock file names packages by version and hash, never by the address of one machine's registry, and
 * it is whole: `npm ci` refuses a lock without the packages that only other platforms install. What runs
 * a script of its own when it is installed is listed in package.json: npm itself only gives notice.
 */
export async function checkLockFile(root: string): Promise<string[]> {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock;
  const packages = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && link !== true,
  );
  return [
    ...packages
      .filter(([, { resolved }]) => resolved !== undefined)
      .map(([path, { resolved }]) => `package-lock.json says where ${path} came from: ${resolved}`),
    ...packages
      .filter(([, { integrity, optional }]) => integrity === undefined && !optional)
      .map(([path]) => `package-lock.json has no hash of ${path}.`),
    ...unlistedScripts(root, packages),
    ...missingFrom(lock).map(
      ({ name }) => `package-lock.json lacks ${name}: run 'node scripts/complete-lock.ts'.`,
    ),
  ];
}

function unlistedScripts(root: string, packages: [string, LockedPackage][]): string[] {
  const { allowScripts = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    allowScripts?: Record<string, boolean>;
  };
  return packages
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length))
    .filter((name) => allowScripts[name] !== true)
    .map((name) => `${name} runs a script when it is installed; allowScripts does not list it.`);
}

/** Optional dependencies that some package of the lock names and the lock does not have. */
export function missingFrom(lock: Lock): { name: string; version: string; dev: boolean }[] {
  const all = Object.entries(lock.packages).flatMap(
    ([path, { optionalDependencies = {}, dev = false }]) =>
      Object.entries(optionalDependencies).map(([name, version]) => ({ path, name, version, dev })),
  );
  return all.filter(
    ({ path, name }) =>
      !lock.packages[`node_modules/${name}`] && !lock.packages[`${path}/node_modules/${name}`],
  );
}
