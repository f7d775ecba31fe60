import { join } from "node:path";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import type { PermissionMode } from "../../wire/session/shared-schemas.ts";
import { PermissionModeSchema } from "../../wire/session/shared-schemas.ts";
import type { ClaudeConfig } from "../../claude-config/claude-config.ts";
import { readJsonObject } from "../../claude-config/claude-config.ts";

export interface ModeSources {
  readonly cwd: string;
  readonly config: ClaudeConfig;
  /** An untrusted project has no say in what runs without asking. */
  readonly trusted: boolean;
  /** The value of --settings. */
  readonly settings?: JsonObject | undefined;
}

/** `permissions.defaultMode` of the settings, nearest first; `default` if none has it. */
export function modeFromSettings({ cwd, config, trusted, settings }: ModeSources): PermissionMode {
  const files = [
    ...(trusted ? [join(cwd, ".claude/settings.local.json")] : []),
    ...(trusted ? [join(cwd, ".claude/settings.json")] : []),
    join(config.directory, "settings.json"),
  ];
  for (const each of [settings ?? {}, ...files.map(readJsonObject)]) {
    const mode = modeOf(each);
    if (mode !== undefined) return mode;
  }
  return "default";
}

function modeOf({ permissions }: JsonObject): PermissionMode | undefined {
  if (!isRecord(permissions)) return undefined;
  return PermissionModeSchema.safeParse(permissions["defaultMode"]).data;
}
