import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { ClaudeConfig } from "../../claude-config/claude-config.ts";
import type { FoundSubagent } from "../../claude-config/subagents/find-subagents.ts";
import {
  findSubagents,
  nameOf,
  skillFolders,
  subagentFolders,
  subagentNamed,
} from "../../claude-config/subagents/find-subagents.ts";
import { didYouMean } from "../../yaml/did-you-mean.ts";
import { issueLine } from "../../yaml/file-issue.ts";
import { isRecord } from "../../wire/json.ts";
import { agentOfSubagent } from "./agent-of-subagent.ts";

/** A team file as written, with what the sub-agents say that its agents come from. */
export interface FilledFile {
  readonly value: unknown;
  /** Of the team file: an agent whose sub-agent is not there, or broken. */
  readonly issues: readonly { readonly path: readonly string[]; readonly message: string }[];
  /** As `file:line:column: message`. */
  readonly warnings: readonly string[];
}

type Fields = Record<string, unknown>;

/** An agent that has an issue already: nothing more is to be said of it. */
const unknownAgent = (own: Fields): Fields => ({
  description: "?",
  ...(own["prompt_file"] === undefined && { prompt: "?" }),
  ...own,
});

/**
 * Fills in the agents with `from: claude/NAME`. What the team file says itself stays.
 *
 * @param workdir the directory of agents that name none of their own.
 */
export function withSubagents(value: unknown, workdir: string, config: ClaudeConfig): FilledFile {
  const agents = isRecord(value) ? value["agents"] : undefined;
  if (!isRecord(value) || !isRecord(agents)) return { value, issues: [], warnings: [] };
  const issues: { path: string[]; message: string }[] = [];
  const warnings: string[] = [];
  const foundIn = new Map<string, FoundSubagent[]>();
  const fill = (id: string, agent: Fields): Fields => {
    const { from, ...own } = agent;
    const report = (message: string): Fields => {
      issues.push({ path: ["agents", id, "from"], message });
      return unknownAgent(own);
    };
    const name = typeof from === "string" ? /^claude\/(.+)$/.exec(from)?.[1] : undefined;
    if (name === undefined) {
      return report("Write claude/NAME, with the name of a sub-agent of Claude Code.");
    }
    const directory = directoryOf(own, workdir);
    const folders = subagentFolders(directory, config);
    const found = foundIn.get(directory) ?? findSubagents(folders);
    foundIn.set(directory, found);
    const file = subagentNamed(name, found);
    if (!file) return report(notFound(name, found, folders));
    const { path, read } = file;
    if (!read.ok) return report(read.issues.map((issue) => issueLine(path, issue)).join(" "));
    const skills = skillFolders(directory, config);
    const made = agentOfSubagent(read.subagent, own, skills);
    warnings.push(...made.warnings.map((issue) => issueLine(path, issue)));
    return made.fields;
  };
  const filled = Object.entries(agents).map(([id, agent]) => [
    id,
    isRecord(agent) && agent["from"] !== undefined ? fill(id, agent) : agent,
  ]);
  return {
    value: { ...value, agents: Object.fromEntries(filled) as Fields },
    issues,
    warnings,
  };
}

/** Where the agent works, if that is on this machine. */
function directoryOf({ workdir, host, labels }: Fields, team: string): string {
  if (typeof workdir !== "string" || host !== undefined || labels !== undefined) return team;
  const own = resolve(team, workdir);
  return statSync(own, { throwIfNoEntry: false })?.isDirectory() ? own : team;
}

function notFound(
  name: string,
  found: readonly FoundSubagent[],
  folders: readonly string[],
): string {
  const names = [...new Set(found.map(({ path, read }) => nameOf(path, read)))];
  const near = didYouMean(name, names);
  const known =
    near !== undefined
      ? `Did you mean ${near}?`
      : names.length > 0
        ? `Known here: ${names.join(", ")}.`
        : "There are none at all.";
  return `There is no sub-agent ${name} in ${folders.join(" or ")}. ${known}`;
}
