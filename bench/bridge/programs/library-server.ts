// A plain MCP server of the official library with the tools inside, as most servers are written.
import { setTimeout as pause } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { textOf } from "../payload.ts";

const result = (text: string) => ({ content: [{ type: "text" as const, text }] });

const server = new McpServer({ name: "library", version: "1" });
server.registerTool("text", { inputSchema: z.object({ bytes: z.number() }) }, ({ bytes }) =>
  result(textOf(bytes)),
);
server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) =>
  result(text),
);
server.registerTool("wait", { inputSchema: z.object({ ms: z.number() }) }, async ({ ms }) => {
  await pause(ms);
  return result("waited");
});
await server.connect(new StdioServerTransport());
