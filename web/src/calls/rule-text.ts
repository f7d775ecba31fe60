import type { JsonObject, JsonValue } from "agent-switchboard/wire";
import { wordFor } from "../words/words.ts";

/** What a scope would allow, as Claude Code writes it, and the settings file that it goes to. */
export interface ScopeRule {
  readonly rules: readonly string[];
  /** Undefined when nothing is written. */
  readonly file: "localSettings" | "projectSettings" | "userSettings" | undefined;
}

/** From the suggestions of a request, never from their label: that is in English, and for people. */
export function scopeRule(suggestions: readonly JsonObject[] = []): ScopeRule {
  const files = suggestions.map(({ destination }) => destination).filter(isFile);
  return { rules: [...new Set(suggestions.flatMap(textsOf))], file: files[0] };
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
