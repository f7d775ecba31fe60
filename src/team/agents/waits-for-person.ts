import type { AgentState } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { Task } from "../../wire/team/task.ts";

/** Who waits for whom. */
export interface WaitingAgents {
  readonly stateOf: (agent: AgentId) => AgentState;
  /** It goes on by itself when a usage limit resets. */
  readonly waitsForReset: (agent: AgentId) => boolean;
  /** The calls of an agent that wait for another agent's answer. */
  readonly waits: { of(agent: AgentId): readonly { readonly awaited: AgentId }[] };
  readonly tasks: {
    openOf(agent: AgentId): readonly Pick<Task, "id">[];
    openBelow(task: string): readonly Pick<Task, "to_agent">[];
  };
}

/** An agent that a person has stopped waits for one to start it. */
const waiting: ReadonlySet<AgentState> = new Set(["waiting", "stopped"]);

/**
 * Whether this agent waits for a person or for the reset of a usage limit, or for an agent that does, in a call or for a part of
 * its task.
 */
export function waitsForPerson(
  agent: AgentId,
  { stateOf, waitsForReset, waits, tasks }: WaitingAgents,
): boolean {
  const involved = new Set([agent]);
  // Iterating a set includes what is added meanwhile, once.
  for (const each of involved) {
    if (waiting.has(stateOf(each)) || waitsForReset(each)) return true;
    for (const { awaited } of waits.of(each)) involved.add(awaited);
    for (const { id } of tasks.openOf(each)) {
      for (const part of tasks.openBelow(id)) involved.add(part.to_agent);
    }
  }
  return false;
}
