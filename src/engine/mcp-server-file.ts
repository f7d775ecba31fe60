import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServerConfig } from "@anthropic-ai/claude-agent-sdk";

type Servers = Record<string, McpServerConfig>;

/** A private file with MCP servers, for a CLI that can read them only from a file. */
export interface ServerFile {
  path: string;
  /** Call this when the CLI has ended. Idempotent; never throws. */
  remove(): void;
}

/** Servers that the CLI starts or calls itself; the others live in this process. */
export const serversOutside = (servers: Servers): Servers =>
  Object.fromEntries(Object.entries(servers).filter(([, { type }]) => type !== "sdk"));

export const serversInside = (servers: Servers): Servers =>
  Object.fromEntries(Object.entries(servers).filter(([, { type }]) => type === "sdk"));

/**
 * Servers may hold keys, and every user can read the arguments of a process. The file goes into the given private
 * directory, where the next one replaces it, or into a temporary one of its own.
 */
export function writeServerFile(servers: Servers, privateDir?: string): ServerFile {
  const directory = privateDir ?? mkdtempSync(join(tmpdir(), "switchboard-mcp-"));
  const path = join(directory, "mcp.json");
  const remove = (): void => {
    try {
      rmSync(privateDir === undefined ? directory : path, { recursive: true, force: true });
    } catch {
      // Only its owner can read what is left, and the next CLI of the session replaces it.
    }
  };
  try {
    writeFileSync(path, JSON.stringify({ mcpServers: servers }), { mode: 0o600 });
  } catch (error) {
    remove();
    throw error;
  }
  return { path, remove };
}
