import { Command } from "commander";
import type { TeamApproval } from "../../wire/team-control.ts";
import type { TeamPlace } from "./place.ts";
import { connectTeam, stateDirOption } from "./place.ts";
import { clockTime, print, printJson, table } from "./print.ts";
import { deadlineOf, decisionHint, requestLine } from "./request-line.ts";

const WHAT_CHARS = 100;

interface Flags extends TeamPlace {
  json?: boolean;
}

/** `switchboard approvals`: what agents wait for. */
export function approvalsCommand(): Command {
  return new Command("approvals")
    .description("list the decisions that agents wait for")
    .addOption(stateDirOption())
    .option("--json", "print one line of JSON for each")
    .action(async ({ json = false, ...place }: Flags) => {
      await using team = await connectTeam(place);
      const { approvals } = (await team.request("approvals", {})) as { approvals: TeamApproval[] };
      if (json) for (const approval of approvals) printJson(approval);
      else if (approvals.length === 0) print("Nobody waits for a decision.");
      else showApprovals(approvals);
    });
}

function showApprovals(approvals: readonly TeamApproval[]): void {
  print(
    table([
      ["ID", "AGENT", "UNTIL", "WHAT"],
      ...approvals.map(({ agent, request }) => {
        const deadline = deadlineOf(request);
        const until = deadline === undefined ? "" : clockTime(deadline);
        return [request.request_id, agent, until, requestLine(request, WHAT_CHARS)];
      }),
    ]),
  );
  const [first] = approvals;
  if (first) print(`\nDecide with: ${decisionHint(first.request)}`);
}
