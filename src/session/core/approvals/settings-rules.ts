import { readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EngineOptions } from "../../../engine/index.ts";
import { configDirOf } from "../../../engine/recovery/index.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { reasonOf, systemCode } from "../../../files/system-error-code.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";
import { rulesOf, spellRule } from "./standing-grants.ts";

/** The settings file that Claude Code writes a lasting permission to. */
export function settingsFileOf(
  updates: readonly JsonObject[],
  { cwd, env }: Pick<EngineOptions, "cwd" | "env">,
): string | undefined {
  const files: Readonly<Record<string, string>> = {
    localSettings: join(cwd, ".claude", "settings.local.json"),
    projectSettings: join(cwd, ".claude", "settings.json"),
    userSettings: join(configDirOf(env), "settings.json"),
  };
  const [lasting] = updates.flatMap(({ destination }) =>
    typeof destination === "string" ? (files[destination] ?? []) : [],
  );
  return lasting;
}

/**
 * Takes permissions out of a settings file, and leaves everything else in it as it is. A file that is gone, or that
 * does not have them any more, is fine.
 *
 * @throws `execution_failed` when the file cannot be read or replaced. It is then unchanged.
 */
export function removeFromSettings(file: string, updates: readonly JsonObject[]): void {
  try {
    const path = realpathSync(file);
    const settings: unknown = JSON.parse(readFileSync(path, "utf8"));
    const lighter = isRecord(settings) ? withoutPermissions(settings, updates) : settings;
    if (lighter === settings) return;
    const { mode } = statSync(path);
    replaceFile(path, `${JSON.stringify(lighter, undefined, 2)}\n`, { durable: true, mode });
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return;
    throw errorOf("execution_failed", `The permission is still in ${file}: ${reasonOf(cause)}`, {
      cause,
      hint: "Nothing was taken back. Correct the file, or take the rule out of it, and send revoke again.",
    });
  }
}

function withoutPermissions(
  settings: Record<string, unknown>,
  updates: readonly JsonObject[],
): Record<string, unknown> {
  const { permissions } = settings;
  if (!isRecord(permissions)) return settings;
  const gone: Record<string, Set<unknown>> = {
    allow: spellings(updates, "allow"),
    deny: spellings(updates, "deny"),
    additionalDirectories: new Set(updates.flatMap(({ directories }) => directories ?? [])),
  };
  let lighter = permissions;
  for (const [name, unwanted] of Object.entries(gone)) {
    const list = lighter[name];
    if (!Array.isArray(list) || !list.some((each) => unwanted.has(each))) continue;
    lighter = { ...lighter, [name]: list.filter((each) => !unwanted.has(each)) };
  }
  return lighter === permissions ? settings : { ...settings, permissions: lighter };
}

/** With the escapes of Claude Code, and without: its versions differ. */
const spellings = (updates: readonly JsonObject[], behavior: "allow" | "deny"): Set<unknown> =>
  new Set(
    rulesOf(updates, behavior).flatMap((rule) => {
      const { toolName, ruleContent } = rule;
      return [
        spellRule(rule),
        ...(ruleContent === undefined ? [] : [`${toolName}(${ruleContent})`]),
      ];
    }),
  );
