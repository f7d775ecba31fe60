import { stringify } from "yaml";
import { claudeConfig } from "../../claude-config/claude-config.ts";
import type { FoundSubagent } from "../../claude-config/subagents/find-subagents.ts";
import {
  findSubagents,
  nameOf,
  subagentFolders,
} from "../../claude-config/subagents/find-subagents.ts";
import { errorOf } from "../../wire/errors.ts";
import { SWITCHBOARD, USER } from "../../wire/team/reserved-senders.ts";
import { issueLine } from "../../yaml/file-issue.ts";

/** A team file whose agents come from sub-agents, and what is to be said of it. */
export interface TeamOfSubagents {
  readonly text: string;
  readonly agents: readonly string[];
  /** Sub-agents that are left out. */
  readonly warnings: readonly string[];
}

/**
 * A team of a lead and all sub-agents that Claude Code would have in the directory.
 *
 * @throws `invalid_params` when there are none.
 */
export function teamOfSubagents(directory: string, name: string): TeamOfSubagents {
  const folders = subagentFolders(directory, claudeConfig());
  const found = findSubagents(folders);
  const warnings: string[] = [];
  const agents = new Map<string, string>();
  for (const [subagent, { path, read }] of firstOfEachName(found)) {
    if (!read.ok) {
      warnings.push(...read.issues.map((issue) => `left out: ${issueLine(path, issue)}`));
      continue;
    }
    agents.set(freeId(subagent, agents), subagent);
  }
  if (agents.size === 0) {
    throw errorOf("invalid_params", noneText(folders, warnings), {
      hint: "Make one with /agents in Claude Code, or leave --from-claude out.",
    });
  }
  const lead = freeId("lead", agents);
  const lines = [...agents].map(([id, subagent]) => `  ${id}: { from: ${quoted(subagent)} }`);
  const text = [
    "# A lead that talks with you, and your sub-agents of Claude Code. What a sub-agent's file says is read at each start;",
    "# fields that you add beside `from` win over it.",
    `name: ${stringify(name).trim()}`,
    `lead: ${lead}`,
    "agents:",
    `  ${lead}:`,
    "    description: Talks with the user, plans, and gives the work to the others",
    "    prompt: |",
    "      You lead this team. Split what the user asks for into tasks, and give each to the agent whose description fits it",
    "      best, with send_message and wait: true. Check what comes back, and tell the user the outcome.",
    ...lines,
    "",
  ].join("\n");
  return { text, agents: [lead, ...agents.keys()], warnings };
}

const quoted = (subagent: string): string => JSON.stringify(`claude/${subagent}`);

function firstOfEachName(found: readonly FoundSubagent[]): Map<string, FoundSubagent> {
  const first = new Map<string, FoundSubagent>();
  for (const each of found) {
    const name = nameOf(each.path, each.read);
    if (!first.has(name)) first.set(name, each);
  }
  return first;
}

/** An agent's name as close as possible to the given one, which nobody has. */
function freeId(name: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = name
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, 56);
  const base = plain === "" ? "agent" : plain;
  const isFree = (id: string): boolean => !taken.has(id) && id !== USER && id !== SWITCHBOARD;
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? base : `${base}-${count}`;
    if (isFree(id)) return id;
  }
}

function noneText(folders: readonly string[], warnings: readonly string[]): string {
  const where = `There are no sub-agents in ${folders.join(" or ")}.`;
  return warnings.length === 0 ? where : `${where} ${warnings.join(" ")}`;
}
