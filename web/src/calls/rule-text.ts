import type { JsonObject, JsonValue } from "agent-switchboard/wire";
import { wordFor } from "../words/words.ts";

/** A part of what a scope would allow, as Claude Code writes it, and the settings file that it goes to. */
export interface ScopeRule {
  readonly rules: readonly string[];
  /** Undefined when nothing is written. */
  readonly file: "localSettings" | "projectSettings" | "userSettings" | undefined;
}

/**
 * A part for each file: one scope may write a rule down and allow a directory for the session alone. From the suggestions of a
 * request, never from their label: that is in English, and for people.
 */
export function scopeRules(suggestions: readonly JsonObject[] = []): ScopeRule[] {
  const byFile = Map.groupBy(suggestions, ({ destination }) =>
    isFile(destination) ? destination : undefined,
  );
  return [...byFile].map(([file, each]) => ({
    rules: [...new Set(each.flatMap(textsOf))],
    file,
  }));
}

const isFile = (destination: JsonValue | undefined): destination is ScopeRule["file"] & string =>
  destination === "localSettings" ||
  destination === "projectSettings" ||
  destination === "userSettings";

function textsOf(suggestion: JsonObject): string[] {
  const { type, rules, behavior, mode, directories } = suggestion;
  if (type === "addRules" && Array.isArray(rules)) {
    const texts = rules.map(ruleText);
    return behavior === "allow" ? texts : texts.map((text) => `${plain(behavior)}: ${text}`);
  }
  if (type === "setMode" && typeof mode === "string") return [modeText(mode)];
  if (type === "addDirectories" && Array.isArray(directories)) return directories.map(plain);
  return [JSON.stringify(suggestion)];
}

function modeText(mode: string): string {
  const words = wordFor("calls.mode", mode);
  return words === undefined ? `mode ${mode}` : `mode ${mode}: ${words}`;
}

function ruleText(rule: JsonValue): string {
  if (typeof rule !== "object" || rule === null || Array.isArray(rule)) return JSON.stringify(rule);
  const { toolName, ruleContent } = rule;
  return typeof ruleContent === "string" ? `${plain(toolName)}(${ruleContent})` : plain(toolName);
}

const plain = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null);
