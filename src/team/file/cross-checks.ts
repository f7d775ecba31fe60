import type { Place, ScriptIssue } from "../../rehearsal/script-issues.ts";
import { pathText } from "../../rehearsal/script-issues.ts";
import { SWITCHBOARD, USER } from "../messages/user.ts";
import type { TeamFile } from "./team-schema.ts";

type Path = readonly PropertyKey[];

/** What is wrong between the parts of a file: names that nobody bears, rights that cannot be used. */
export function crossIssues(file: TeamFile, placeOf: (path: Path) => Place): ScriptIssue[] {
  const ids = Object.keys(file.agents);
  const issues: ScriptIssue[] = [];
  const report = (path: Path, message: string): void => {
    issues.push({ place: placeOf(path), path: pathText(path), message });
  };
  const mustExist = (path: Path, id: string): void => {
    if (!ids.includes(id)) report(path, `There is no agent ${id}. ${suggestion(id, ids)}`);
  };

  mustExist(["lead"], file.lead);
  for (const taken of [USER, SWITCHBOARD].filter((name) => ids.includes(name))) {
    report(["agents", taken], `The name ${taken} is taken. Choose another.`);
  }
  for (const [id, agent] of Object.entries(file.agents)) {
    agent.may_message?.forEach((peer, index) =>
      mustExist(["agents", id, "may_message", index], peer),
    );
    agent.may_interrupt.forEach((peer, index) => {
      const path = ["agents", id, "may_interrupt", index];
      mustExist(path, peer);
      if (ids.includes(peer) && agent.may_message && !agent.may_message.includes(peer)) {
        report(path, `${id} may not message ${peer}, so it cannot interrupt it. Add it to both.`);
      }
    });
  }
  file.policy.forEach(({ agents }, rule) =>
    agents?.forEach((id, index) => mustExist(["policy", rule, "agents", index], id)),
  );
  return issues;
}

function suggestion(id: string, ids: readonly string[]): string {
  const near = ids.find((known) => likeness(known) === likeness(id) || known.startsWith(id));
  return near === undefined ? `Known here: ${ids.join(", ")}.` : `Did you mean ${near}?`;
}

/** Slips of the pen: case, and which of the two joining characters. */
const likeness = (id: string): string => id.toLowerCase().replaceAll(/[-_]/g, "");
