import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServerConfig } from "../engine/options.ts";

type Servers = Record<string, McpServerConfig>;

/** MCP servers in the two ways in which they reach a CLI. */
export interface PlacedServers {
  /** Those that run in this process. */
  here: Servers;
  /** The file of the others. They may hold keys, and everybody can read the arguments of a process. */
  file: string | undefined;
  /** To be called when the CLI has ended. Idempotent. */
  remove(): void;
}

export function placeServers(servers: Servers = {}): PlacedServers {
  const all = Object.entries(servers);
  const [here, others] = [true, false].map((inProcess) =>
    Object.fromEntries(all.filter(([, server]) => (server.type === "sdk") === inProcess)),
  ) as [Servers, Servers];
  if (Object.keys(others).length === 0) return { here, file: undefined, remove: () => {} };
  // Nobody but the owner can look into it.
  const directory = mkdtempSync(join(tmpdir(), "switchboard-mcp-"));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const file = join(directory, "servers.json");
  try {
    writeFileSync(file, JSON.stringify({ mcpServers: others }), { mode: 0o600 });
  } catch (error) {
    remove();
    throw error;
  }
  return { here, file, remove };
}
