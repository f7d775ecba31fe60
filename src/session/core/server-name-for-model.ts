/** The name of an MCP server in the names of its tools: Claude Code replaces the characters that those cannot have. */
export const serverNameForModel = (server: string): string =>
  server.replaceAll(/[^A-Za-z0-9_-]/g, "_");
