import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import type { McpServerConfigs } from "../../wire/session/mcp-servers.ts";
import { McpServerConfigsSchema } from "../../wire/session/mcp-servers.ts";

/** In the log's directory. */
const FILE = "set-mcp-servers.json";

/**
 * The MCP servers that clients have set for a session. They may hold keys, so they are in a file that only its owner may
 * read, and in no event.
 */
export class SetServersFile {
  readonly #path: string | undefined;
  #servers: McpServerConfigs;

  /** @param directory a private one; without it, the servers are known only as long as this process runs. */
  constructor(directory: string | undefined) {
    this.#path = directory === undefined ? undefined : join(directory, FILE);
    this.#servers = this.#path === undefined ? {} : readServers(this.#path);
  }

  get servers(): McpServerConfigs {
    return this.#servers;
  }

  /** The servers are on the disk before this returns. @throws when they cannot be written; then nothing has changed. */
  replace(servers: McpServerConfigs): void {
    if (this.#path !== undefined) {
      const isEmpty = Object.keys(servers).length === 0;
      if (isEmpty) rmSync(this.#path, { force: true });
      else replaceFile(this.#path, JSON.stringify(servers), { durable: true });
    }
    this.#servers = servers;
  }
}

/** A file that is not there, or not ours any more, has none. */
function readServers(path: string): McpServerConfigs {
  try {
    return McpServerConfigsSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return {};
  }
}
