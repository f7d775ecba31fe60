import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import type { StdioServerConfig } from "../../src/bridge/index.ts";

/** The official MCP client, through a bridge process of its own, as a session would use the config. */
export async function connectClient(
  { command, args, env }: StdioServerConfig,
  client = new Client({ name: "test", version: "1" }),
): Promise<Client> {
  await client.connect(new StdioClientTransport({ command, args, env }));
  onTestFinished(() => client.close());
  return client;
}

/** Calls a tool; gives the words of its result, after "failed: " when it is a failure. */
export async function call(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const words = content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`));
  return (isError ? "failed: " : "") + words.join("\n");
}
