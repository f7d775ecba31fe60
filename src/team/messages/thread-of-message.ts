import type { AgentId, CCMessage } from "../../wire/team/messages.ts";

/**
 * The position of a message in an exchange. The path is the chain of requests that led here. An answer returns control to
 * the agent that asked, as a call that returns, so it makes no path longer.
 */
export interface Thread {
  readonly root_id: string;
  readonly hop: number;
  /** Oldest first; the sender of the message comes last. */
  readonly path: readonly AgentId[];
}

/** The first message of an exchange. */
export const newThread = (id: string, from: AgentId): Thread => ({
  root_id: id,
  hop: 0,
  path: [from],
});

/** The thread of what `agent` sends because of a message that it got. */
export const threadBelow = (message: Thread, agent: AgentId): Thread => ({
  root_id: message.root_id,
  hop: message.hop + 1,
  path: [...message.path, agent],
});

/**
 * What `agent` sends in a turn that this message began. After the answer to a request of its own it
 * stands where it stood when it asked.
 */
export function threadInTurn(
  message: CCMessage,
  answered: CCMessage | undefined,
  agent: AgentId,
): Thread {
  if (answered?.from_agent !== agent) return threadBelow(message, agent);
  const { root_id, hop, path } = answered;
  return { root_id, hop, path };
}
