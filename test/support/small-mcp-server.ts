import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** A server with one tool, as small as can be. */
const program = `
import { createInterface } from "node:readline";
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "small", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "weigh", inputSchema: { type: "object" } }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params) ?? {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`;

/** Writes a small MCP server with the tool `weigh`; returns its configuration. */
export function smallMcpServer(directory: string): { command: string; args: [file: string] } {
  const file = join(directory, "small.mjs");
  writeFileSync(file, program);
  return { command: process.execPath, args: [file] };
}
