import { readSkill } from "../../claude-config/subagents/read-skill.ts";
import type { SubagentFile } from "../../claude-config/subagents/read-subagent.ts";
import type { FileIssue } from "../../yaml/file-issue.ts";
import { isRecord } from "../../wire/json.ts";
import type { PermissionMode } from "../../wire/session/shared-schemas.ts";

type Fields = Record<string, unknown>;

/** A file that came with a project may make an agent ask more, and never less. */
const carefulModes: readonly PermissionMode[] = ["default", "plan", "dontAsk"];

/** The fields of an agent in a team file: its own, and what the sub-agent's file says beside them. */
export function agentOfSubagent(
  subagent: SubagentFile,
  own: Fields,
  skillFolders: readonly string[],
): { readonly fields: Fields; readonly warnings: readonly FileIssue[] } {
  const { name, description, prompt, model, permissionMode: mode, tools } = subagent;
  const warnings = [...subagent.warnings];
  const hasPrompt = own["prompt"] !== undefined || own["prompt_file"] !== undefined;
  const told = hasPrompt ? [] : subagent.skills.map((skill) => skillPart(skill, skillFolders));
  for (const { missing } of told) {
    if (missing === undefined) continue;
    warnings.push({ position: subagent.positionOf("skills"), path: "skills", message: missing });
  }
  const isCareful = mode !== undefined && carefulModes.includes(mode);
  if (mode !== undefined && !isCareful && own["permission_mode"] === undefined) {
    warnings.push({
      position: subagent.positionOf("permissionMode"),
      path: "permissionMode",
      message: `${name} would ask less by ${mode}, so it is not taken over. Write permission_mode: ${mode} in the team file if you want it.`,
    });
  }
  const fields: Fields = {
    description,
    ...(!hasPrompt && { prompt: [prompt, ...told.map(({ text }) => text)].join("\n\n").trim() }),
    ...(model !== undefined && { model }),
    ...(isCareful && { permission_mode: mode }),
    ...own,
    tools: toolsBeside(own["tools"], {
      ...(tools && { only: tools.flatMap(builtIn) }),
      ...(subagent.disallowedTools.length > 0 && { deny: [...subagent.disallowedTools] }),
    }),
  };
  return { fields, warnings };
}

/** The team file's own lists win, each by itself. A list of files says nothing of the others. */
function toolsBeside(own: unknown, theirs: Fields): unknown {
  if (own === undefined) return theirs;
  if (Array.isArray(own)) return { files: own as unknown[], ...theirs };
  return isRecord(own) ? { ...theirs, ...own } : own;
}

/** The tool of a rule such as `Bash(git *)`. Which servers an agent has is the team file's to say. */
function builtIn(rule: string): string[] {
  const tool = rule.replace(/\(.*$/s, "").trim();
  return tool === "" || tool.startsWith("mcp__") ? [] : [tool];
}

interface SkillPart {
  readonly text: string;
  /** Why it has none. */
  readonly missing?: string;
}

/** Claude Code gives a sub-agent the whole text of its skills at the start. */
function skillPart(skill: string, folders: readonly string[]): SkillPart {
  const found = readSkill(skill, folders);
  if (found) {
    const text = `# Skill: ${skill}\n\nIts files are in ${found.directory}\n\n${found.text}`;
    return { text };
  }
  const where = folders.join(" or ");
  return {
    text: "",
    missing: `There is no skill ${skill} in ${where}: the agent works without it.`,
  };
}
