import { didYouMean } from "../../yaml/did-you-mean.ts";
import type { FileIssue } from "../../yaml/file-issue.ts";
import { claudeTools } from "./known-claude-tools.ts";
import type { TeamFile } from "./team-schema.ts";
import { toolsOf } from "./tool-files.ts";

/** Warns of names in `tools.only` that no tool of Claude Code has: the agent would work without the one that was meant. */
export const onlyWarnings = (
  file: TeamFile,
  issueAt: (path: readonly PropertyKey[], message: string) => FileIssue,
): FileIssue[] =>
  Object.entries(file.agents).flatMap(([id, agent]) =>
    (toolsOf(agent).only ?? []).flatMap((tool, index) => {
      if (claudeTools.includes(tool)) return [];
      const near = didYouMean(tool, claudeTools);
      const hint = near === undefined ? "" : ` Did you mean ${near}?`;
      const message = `Claude Code has no tool named ${tool}.${hint}`;
      return [issueAt(["agents", id, "tools", "only", index], message)];
    }),
  );
