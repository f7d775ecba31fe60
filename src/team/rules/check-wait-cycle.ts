import { errorOf } from "../../wire/errors.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { Refusal } from "./refusal.ts";

export interface Wait {
  readonly waiter: AgentId;
  readonly awaited: AgentId;
  readonly root_id: string;
  /** Whether the wait is for the answer to a question, and not for what follows an answer or a note. */
  readonly asks: boolean;
}

/**
 * Refuses a wait that would close a circle of waiting agents. A question back to the waiting agent under the same root
 * does not: it ends that agent's wait.
 */
export function checkWait(open: Iterable<Wait>, wanted: Wait): Refusal {
  const waits = [...open].filter((wait) => !isEndedBy(wait, wanted));
  const chain = chainTo(waits, wanted.awaited, wanted.waiter);
  if (!chain) return undefined;
  const circle = [wanted.waiter, ...chain];
  return errorOf("wait_refused", `${circle.join(" waits for ")}: nobody could go on.`, {
    data: { circle },
  });
}

/** The first question of the awaited agent under the same root ends a wait. */
const isEndedBy = (wait: Wait, question: Wait): boolean =>
  question.asks &&
  wait.waiter === question.awaited &&
  wait.awaited === question.waiter &&
  wait.root_id === question.root_id;

/** The chain of waiting agents from one agent to another; undefined when there is none. */
function chainTo(
  waits: readonly Wait[],
  from: AgentId,
  to: AgentId,
  seen: readonly AgentId[] = [],
): AgentId[] | undefined {
  if (from === to) return [to];
  if (seen.includes(from)) return undefined;
  for (const { waiter, awaited } of waits) {
    const rest = waiter === from && chainTo(waits, awaited, to, [...seen, from]);
    if (rest) return [from, ...rest];
  }
  return undefined;
}
