import { Command } from "commander";
import type { TeamApproval } from "../../wire/team/control-methods.ts";
import { paintFor } from "../attach/terminal-formats.ts";
import type { PastDecision } from "./decisions.ts";
import { decisionTable, newestDecisions } from "./decisions.ts";
import type { TeamPlace } from "./find-team.ts";
import { readTeam, stateDirOption, teamOption } from "./find-team.ts";
import { clockTime, print, printJson, table } from "./print-for-people.ts";
import { detailRows } from "./request-detail.ts";
import { deadlineOf, decisionHint, requestLine } from "./request-line.ts";

const WHAT_CHARS = 100;

interface Flags extends TeamPlace {
  decided?: boolean;
  json?: boolean;
}

/** `switchboard approvals`: what agents wait for, or what was decided. */
export function approvalsCommand(): Command {
  return new Command("approvals")
    .description("list the requests of agents that wait for your decision")
    .option("--decided", "list the newest decisions instead, with what ran")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print each request as one line of JSON")
    .action(async ({ decided = false, json = false, ...place }: Flags) => {
      await using team = await readTeam(place, json);
      if (decided) return showDecisions(await newestDecisions(team), json);
      const { approvals } = await team.request("approvals", {});
      if (json) for (const approval of approvals) printJson(approval);
      else if (approvals.length === 0) print("No agent waits for a decision.");
      else showApprovals(approvals);
    });
}

function showDecisions(decisions: readonly PastDecision[], json: boolean): void {
  if (json) for (const decision of decisions) printJson(decision);
  else if (decisions.length === 0) print("Nothing has been decided.");
  else print(decisionTable(decisions, WHAT_CHARS));
}

function showApprovals(approvals: readonly TeamApproval[]): void {
  const paint = paintFor(process.stdout);
  const [head = "", ...lines] = table([
    ["ID", "AGENT", "UNTIL", "WHAT"],
    ...approvals.map(({ agent, request }) => {
      const deadline = deadlineOf(request);
      const until = deadline === undefined ? "" : clockTime(deadline);
      return [request.request_id, agent, until, requestLine(request, WHAT_CHARS)];
    }),
  ]).split("\n");
  print(head);
  approvals.forEach(({ request }, index) => {
    for (const row of [lines[index] ?? "", ...detailRows(request, paint)]) print(row);
  });
  const [first] = approvals;
  if (first) print(`\nDecide with: ${decisionHint(first.request)}`);
}
