import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Absence } from "../harness.ts";
import type { Command } from "./command.ts";
import { node } from "./command.ts";

export const peersDirectory = join(import.meta.dirname, "../peers");
const INSTALL_TIMEOUT_MS = 180_000;

export interface Relay {
  name: string;
  /** The process that stands between a client on stdio and the host at this URL. */
  command(url: string): Command;
}

interface RelayProgram {
  package: string;
  program: string;
  args(url: string): string[];
}

const programs: RelayProgram[] = [
  {
    package: "supergateway",
    program: "dist/index.js",
    args: (url) => ["--streamableHttp", url, "--logLevel", "none"],
  },
  {
    package: "mcp-remote",
    program: "dist/proxy.js",
    args: (url) => [url, "--allow-http", "--transport", "http-only", "--silent"],
  },
];

/** Other people's relays. They are no dependencies of this package, so they are installed when needed. */
export async function findRelays(): Promise<{ relays: Relay[]; absent: Absence[] }> {
  const failure = programs.every((each) => isPeerThere(each.package)) ? "" : await installPeers();
  const [there, missing] = [true, false].map((wanted) =>
    programs.filter((each) => isPeerThere(each.package) === wanted),
  );
  return {
    relays: there!.map((each) => ({
      name: nameOf(each.package),
      command: (url) => ({
        ...node(join(placeOf(each.package), each.program), ...each.args(url)),
        // mcp-remote keeps files at home, unless it is told where.
        env: { MCP_REMOTE_CONFIG_DIR: join(peersDirectory, "node_modules/.mcp-remote") },
      }),
    })),
    absent: missing!.map((each) => ({
      name: nameOf(each.package),
      reason: `not installed: ${failure}`,
    })),
  };
}

const wantedVersions = (): Record<string, string> =>
  (readJson(peersDirectory) as { dependencies: Record<string, string> }).dependencies;

const nameOf = (name: string): string => `${name} ${wantedVersions()[name]}`;

/** In the version that the bench wants. */
export const isPeerThere = (name: string): boolean =>
  existsSync(join(placeOf(name), "package.json")) &&
  (readJson(placeOf(name)) as { version: string }).version === wantedVersions()[name];

/** Gives back why it failed, or nothing. */
export async function installPeers(): Promise<string> {
  console.error("Installing what to compare with into bench/peers …");
  const args = "install --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error";
  const npm = spawn("npm", [...args.split(" "), "--fetch-retries=1"], {
    cwd: peersDirectory,
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

const placeOf = (name: string): string => join(peersDirectory, "node_modules", name);

const readJson = (place: string): unknown =>
  JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
