import { didYouMean } from "../../yaml/did-you-mean.ts";
import type { FileIssue } from "../../yaml/file-issue.ts";
import { isRecord } from "../../wire/json.ts";
import { SWITCHBOARD, USER } from "../../wire/team/reserved-senders.ts";

type Path = readonly PropertyKey[];

/**
 * Finds mistakes between the parts of a file: names that no agent has, rights that cannot be used. It reads the file as
 * written, so that a person gets these mistakes together with all others, and skips values of a wrong type.
 */
export function crossIssues(
  file: unknown,
  issueAt: (path: Path, message: string) => FileIssue,
): FileIssue[] {
  const agents = recordOf(recordOf(file)["agents"]);
  const ids = Object.keys(agents);
  const issues: FileIssue[] = [];
  const report = (path: Path, message: string): void => {
    issues.push(issueAt(path, message));
  };
  const mustExist = (path: Path, id: unknown): void => {
    if (typeof id === "string" && !ids.includes(id)) {
      report(path, `There is no agent ${id}. ${suggestion(id, ids)}`);
    }
  };
  if (ids.length > 0) mustExist(["lead"], recordOf(file)["lead"]);
  for (const taken of [USER, SWITCHBOARD].filter((name) => ids.includes(name))) {
    report(["agents", taken], `The name ${taken} is taken. Choose another.`);
  }
  for (const [id, agent] of Object.entries(agents)) {
    const { may_message, may_interrupt } = recordOf(agent);
    for (const [index, peer] of listOf(may_message).entries()) {
      mustExist(["agents", id, "may_message", index], peer);
    }
    for (const [index, peer] of listOf(may_interrupt).entries()) {
      const path = ["agents", id, "may_interrupt", index];
      mustExist(path, peer);
      const isCutOff = Array.isArray(may_message) && !may_message.includes(peer);
      if (typeof peer === "string" && ids.includes(peer) && isCutOff) {
        report(path, `${id} may not message ${peer}, so it cannot interrupt it. Add it to both.`);
      }
    }
  }
  for (const [rule, written] of listOf(recordOf(file)["policy"]).entries()) {
    for (const [index, id] of listOf(recordOf(written)["agents"]).entries()) {
      mustExist(["policy", rule, "agents", index], id);
    }
  }
  return issues;
}

const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function suggestion(id: string, ids: readonly string[]): string {
  const near = didYouMean(id, ids);
  return near === undefined ? `Known here: ${ids.join(", ")}.` : `Did you mean ${near}?`;
}
