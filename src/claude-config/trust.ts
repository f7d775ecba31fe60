import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../wire/json.ts";
import type { ClaudeConfig } from "./claude-config.ts";
import { readJsonObject } from "./claude-config.ts";

/**
 * Whether the person has accepted Claude Code's trust dialog for this directory or one above it. As in Claude Code, a
 * repository stands for itself: trust in a directory above its root does not include it.
 */
export function isTrusted(cwd: string, { globalFile }: ClaudeConfig): boolean {
  const { projects } = readJsonObject(globalFile);
  if (!isRecord(projects)) return false;
  for (let at = realpathSync(cwd); ; at = dirname(at)) {
    const project = Object.hasOwn(projects, at) ? projects[at] : undefined;
    if (isRecord(project) && project["hasTrustDialogAccepted"] === true) return true;
    if (existsSync(join(at, ".git")) || at === dirname(at)) return false;
  }
}
