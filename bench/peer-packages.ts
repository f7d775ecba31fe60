import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Those of most suites. */
export const peersDirectory = join(import.meta.dirname, "peers");
const INSTALL_TIMEOUT_MS = 180_000;

/** Other people's packages. They are no dependencies of this one, so they are installed when needed. */
export interface PeerPackages {
  isThere(name: string): boolean;
  placeOf(name: string): string;
  /** With its version. */
  titleOf(name: string): string;
  /** Why one that is not there could not be installed. */
  failure: string;
}

/** Installs what the directory's package.json names, unless all of it already exists. */
export async function installPeers(
  directory: string,
  ...npmFlags: string[]
): Promise<PeerPackages> {
  const { dependencies } = readJson(directory) as { dependencies: Record<string, string> };
  const placeOf = (name: string): string => join(directory, "node_modules", name);
  const isThere = (name: string): boolean =>
    existsSync(join(placeOf(name), "package.json")) &&
    (readJson(placeOf(name)) as { version: string }).version === dependencies[name];
  const failure = Object.keys(dependencies).every(isThere)
    ? ""
    : await install(directory, npmFlags);
  return { isThere, placeOf, titleOf: (name) => `${name} ${dependencies[name]}`, failure };
}

/** Gives back why it failed, or nothing. */
async function install(directory: string, npmFlags: string[]): Promise<string> {
  console.error(`Installing what is to be compared with into ${directory} …`);
  const args = "install --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error";
  const npm = spawn("npm", [...args.split(" "), "--fetch-retries=1", ...npmFlags], {
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: INSTALL_TIMEOUT_MS,
  });
  let said = "";
  npm.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  try {
    const [code, signal] = await once(npm, "close");
    if (code === 0) return "";
    return said.match(/^npm error (?!code).*/m)?.[0] ?? `npm ended with ${code ?? signal}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const readJson = (place: string): unknown =>
  JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
