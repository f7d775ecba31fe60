import { join } from "node:path";
import type { Absence } from "../harness.ts";
import { installPeers, peersDirectory } from "../peer-packages.ts";
import type { Command } from "./command.ts";
import { node } from "./command.ts";

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

/** Other people's relays. */
export async function findRelays(): Promise<{ relays: Relay[]; absent: Absence[] }> {
  const peers = await installPeers(peersDirectory);
  const [there, missing] = [true, false].map((wanted) =>
    programs.filter((each) => peers.isThere(each.package) === wanted),
  );
  return {
    relays: there!.map((each) => ({
      name: peers.titleOf(each.package),
      command: (url) => ({
        ...node(join(peers.placeOf(each.package), each.program), ...each.args(url)),
        // mcp-remote keeps files at home, unless it is told where.
        env: { MCP_REMOTE_CONFIG_DIR: join(peersDirectory, "node_modules/.mcp-remote") },
      }),
    })),
    absent: missing!.map((each) => ({
      name: peers.titleOf(each.package),
      reason: `not installed: ${peers.failure}`,
    })),
  };
}
