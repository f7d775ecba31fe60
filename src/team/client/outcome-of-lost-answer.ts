import type { CommandRules } from "../../stream/open-commands.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamMethod } from "../../wire/team/control-methods.ts";
import type { TeamEvent, TeamEventOf } from "../../wire/team/events.ts";

/** How an event shows what became of a request whose answer was lost. */
export interface ShownOutcome {
  readonly rules: CommandRules<TeamEvent>;
  /** What the team would have answered. */
  readonly result: () => unknown;
}

const decisions: ReadonlySet<TeamMethod> = new Set(["approve", "deny", "answer", "respond"]);

/** Undefined for a method whose outcome no event shows. @param isOwn whether this is the client's own name. */
export function outcomeShownBy(
  method: TeamMethod,
  params: object,
  isOwn: (name: string | undefined) => boolean,
): ShownOutcome | undefined {
  if (decisions.has(method)) return decisionShown(params as { request_id: string }, isOwn);
  if (method === "cancel") return cancelShown(params as { task: string });
  return undefined;
}

function decisionShown(
  { request_id: requestId }: { readonly request_id: string },
  isOwn: (name: string | undefined) => boolean,
): ShownOutcome {
  let agent: string | undefined;
  const shownBy = (event: TeamEvent): true | ClaudeCodeError | undefined => {
    if (event.type !== "approval_resolved" || event.request_id !== requestId) return undefined;
    ({ agent } = event);
    return isOwn(event.by) || decidedBy(event);
  };
  return { rules: { shownBy }, result: () => ({ agent }) };
}

function cancelShown({ task: id }: { readonly task: string }): ShownOutcome {
  const shownBy = (event: TeamEvent): true | undefined => {
    const isDone = event.type === "task_changed" && event.task.id === id.toLowerCase();
    return (isDone && event.task.state === "canceled") || undefined;
  };
  return { rules: { shownBy }, result: () => ({ canceled: true }) };
}

function decidedBy(event: TeamEventOf<"approval_resolved">): ClaudeCodeError {
  const { request_id, outcome, by } = event;
  const who = by === undefined ? "" : ` by ${by}`;
  return errorOf("already_resolved", `${request_id} is ${outcome}${who}.`, {
    data: { outcome, ...(by !== undefined && { by }) },
  });
}
