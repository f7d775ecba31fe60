import type { CallToolResult } from "@modelcontextprotocol/server";
import { requestText } from "../client/core.ts";
import type { PendingRequest } from "../wire/session/approval-events.ts";
import type { TeamApproval } from "../wire/team/control-methods.ts";
import type { Outcome } from "./await-answer.ts";
import { dataText, textResult } from "./data-text.ts";

export interface ResultOptions {
  readonly team: string;
  /** Of the message. */
  readonly id: string;
  /** The calling model may decide too. */
  readonly mayDecide: boolean;
}

/** What a call returns to the model that made it. */
export function outcomeResult(outcome: Outcome, options: ResultOptions): CallToolResult {
  const { team, id } = options;
  switch (outcome.kind) {
    case "answered": {
      const { agent, text, failed } = outcome;
      const what = failed
        ? `The team ${team} could not do it. Its lead ${agent} says why (message ${id}).`
        : `The answer of ${agent}, the lead of the team ${team} (message ${id}).`;
      return textResult(dataText(what, text), failed);
    }
    case "open":
      return textResult(
        `The team ${team} is still at work on the message ${id}. Call team_wait with this id to wait on.`,
      );
    default:
      return textResult(waitsText(outcome.approvals, options));
  }
}

/** For a client that cannot ask its person, or whose person has not decided. */
function waitsText(
  approvals: readonly TeamApproval[],
  { team, id, mayDecide }: ResultOptions,
): string {
  const waits = approvals.map(({ agent, request }) => {
    const { title, body } = requestText(request, MAX_BODY_CHARS);
    return `${agent} ${title} (request ${request.request_id}):\n${body}`;
  });
  const ways = approvals.map(({ request }) => `  ${howToAnswer(request)}`);
  const who = mayDecide
    ? "The person has let you decide: call team_decide. A person can also answer in a terminal, or on the team's page:"
    : "You cannot decide this. Tell your person what waits; they answer in a terminal, or on the team's page:";
  return dataText(
    `The team ${team} has not answered the message ${id} yet: a person has to decide first.`,
    waits.join("\n\n"),
    [who, ...ways, `Then call team_wait with the id ${id}.`].join("\n"),
  );
}

const MAX_BODY_CHARS = 4000;

const howToAnswer = ({ type, request_id: id }: PendingRequest): string =>
  type === "question" || type === "elicitation"
    ? `switchboard answer ${id} …   or: switchboard deny ${id}`
    : `switchboard approve ${id}   or: switchboard deny ${id}`;
