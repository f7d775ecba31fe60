import type { PermissionMode } from "../../wire/session/shared-schemas.ts";
import { PermissionModeSchema } from "../../wire/session/shared-schemas.ts";

/** What a field of the front matter may be. A wrong value is a text that says what was expected. */
export type FieldResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly expected: string };

const right = <Value>(value: Value): FieldResult<Value> => ({ ok: true, value });
const wrong = (expected: string): FieldResult<never> => ({ ok: false, expected });

export const textField = (value: unknown): FieldResult<string> =>
  typeof value === "string" && value.trim() !== "" ? right(value.trim()) : wrong("a text");

/** Names that are separate or joined by commas; commas in parentheses belong to the name. */
export function namesField(value: unknown): FieldResult<readonly string[]> {
  const parts: unknown = typeof value === "string" ? [value] : value;
  const areTexts = Array.isArray(parts) && parts.every((part) => typeof part === "string");
  if (!areTexts) return wrong("names, as a list or joined by commas");
  const names = parts.flatMap((part) => part.split(/,(?![^(]*\))/));
  return right(names.map((name) => name.trim()).filter((name) => name !== ""));
}

export function modeField(value: unknown): FieldResult<PermissionMode> {
  const mode = PermissionModeSchema.safeParse(value);
  return mode.success
    ? right(mode.data)
    : wrong(`one of ${PermissionModeSchema.options.join(", ")}`);
}

/** Fields that Claude Code knows and that mean nothing to a team: they are passed over without a word. */
export const idleFields: readonly string[] = ["color", "background", "version", "author"];

/** Fields that Claude Code knows and that a team does not take, with what to write in the team file. */
export const teamFileInstead: Readonly<Record<string, string>> = {
  mcpServers: "Name its servers under mcp in the team file.",
  hooks:
    "Hooks of a sub-agent do not run in a team; policy in the team file decides on tool calls.",
  maxTurns: "Give it a budget in the team file.",
  isolation: "Write worktree: true in the team file.",
  memory: "An agent of a team keeps its conversation.",
  effort: "The agent uses the effort of its model.",
  initialPrompt: "Send the agent a message.",
};

export const usedFields = [
  "name",
  "description",
  "model",
  "tools",
  "disallowedTools",
  "permissionMode",
  "skills",
] as const;
