import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The files in which Claude Code keeps what belongs to its user. */
export interface ClaudeConfig {
  /** Settings, sessions, skills. */
  readonly directory: string;
  /** `.claude.json`: trust, and MCP servers that the user has added. */
  readonly globalFile: string;
}

export function claudeConfig(env: Variables = process.env): ClaudeConfig {
  const { CLAUDE_CONFIG_DIR: moved = "", HOME: home = homedir() } = env;
  return moved === ""
    ? { directory: join(home, ".claude"), globalFile: join(home, ".claude.json") }
    : { directory: moved, globalFile: join(moved, ".claude.json") };
}

/** A file that is missing or broken says nothing, as it does to the CLI. */
export function readJsonObject(file: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isRecord(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
