import { readFileSync } from "node:fs";
import { join } from "node:path";
import { homeDirectory } from "../proc/current-user.ts";
import type { JsonObject } from "../wire/json.ts";
import { isRecord } from "../wire/json.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Where Claude Code keeps its user's files. */
export interface ClaudeConfig {
  /** Settings, sessions, skills. */
  readonly directory: string;
  /** `.claude.json`: trust, and the user's MCP servers. */
  readonly globalFile: string;
}

export function claudeConfig(env: Variables = process.env): ClaudeConfig {
  const { CLAUDE_CONFIG_DIR: moved = "" } = env;
  if (moved !== "") return { directory: moved, globalFile: join(moved, ".claude.json") };
  const home = homeDirectory(env);
  return { directory: join(home, ".claude"), globalFile: join(home, ".claude.json") };
}

/** Like the CLI, reads a missing or broken file as empty. */
export function readJsonObject(file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isRecord(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
