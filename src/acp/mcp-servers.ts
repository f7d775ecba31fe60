import type { McpServer } from "@agentclientprotocol/sdk";
import type { McpServerConfigs } from "../client/index.ts";

type Config = McpServerConfigs[string];

const recordOf = (pairs: readonly { name: string; value: string }[]): Record<string, string> =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]));

function configOf(server: McpServer): Config {
  if (!("type" in server)) {
    return { command: server.command, args: server.args, env: recordOf(server.env) };
  }
  return { type: server.type, url: server.url, headers: recordOf(server.headers) };
}

/** The editor's MCP servers in the form of `.mcp.json`. */
export const mcpConfigsOf = (servers: readonly McpServer[]): McpServerConfigs =>
  Object.fromEntries(servers.map((server) => [server.name, configOf(server)]));
