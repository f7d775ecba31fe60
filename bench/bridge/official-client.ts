import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Command } from "./command.ts";
import { environment } from "./command.ts";

/** The official library's client, connected to a program that it starts. */
export async function openOfficialClient({ command, args }: Command): Promise<Client> {
  const env = Object.entries(environment).filter((each): each is [string, string] => !!each[1]);
  const client = new Client({ name: "bench", version: "1" });
  const transport = new StdioClientTransport({
    command,
    args,
    env: Object.fromEntries(env),
    stderr: "ignore",
  });
  await client.connect(transport);
  return client;
}
