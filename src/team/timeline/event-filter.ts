import type { Bus } from "../../bus/bus.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamEvent } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";

export interface EventFilter {
  readonly types?: readonly TeamEvent["type"][] | undefined;
  readonly agent?: AgentId | undefined;
  /** A message of the exchange. */
  readonly root?: string | undefined;
}

/** More messages than one exchange may have by default, many times over. */
const MAX_MESSAGES = 10_000;
const PAGE = 1000;

/**
 * Whether an event passes a filter.
 *
 * @throws `unknown_request` when there is no such exchange.
 */
export async function eventFilter(
  bus: Pick<Bus, "get" | "history">,
  { types, agent, root }: EventFilter,
): Promise<(event: TeamEvent) => boolean> {
  const wanted = types && new Set(types);
  const messages = root === undefined ? undefined : await messagesOfExchange(bus, root);
  return (event) =>
    (wanted?.has(event.type) ?? true) &&
    (agent === undefined || agentsIn(event).includes(agent)) &&
    (messages === undefined || messagesIn(event).some((id) => messages.has(id)));
}

/** The ids of all messages of an exchange. */
async function messagesOfExchange(
  bus: Pick<Bus, "get" | "history">,
  id: string,
): Promise<ReadonlySet<string>> {
  const stored = await bus.get(id);
  if (!stored) {
    throw errorOf("unknown_request", `There is no message ${id}.`, {
      hint: "Give the root_id of a message or task, or the id of any message.",
    });
  }
  const { root_id: rootId } = stored.message;
  const ids = new Set<string>([rootId]);
  let cursor: string | undefined;
  do {
    const page = await bus.history({ rootId, limit: PAGE, ...(cursor && { cursor }) });
    for (const { message } of page.items) ids.add(message.id);
    cursor = page.cursor;
  } while (cursor !== undefined && ids.size < MAX_MESSAGES);
  return ids;
}

/** The agents that an event names. */
function agentsIn(event: TeamEvent): AgentId[] {
  switch (event.type) {
    case "team_started":
      return event.agents;
    case "message_sent":
      return [event.message.from_agent, event.message.to_agent];
    case "task_changed":
      return [event.task.from_agent, event.task.to_agent];
    case "message_moved":
    case "refused":
      return [event.from_agent, event.to_agent];
    default:
      return "agent" in event && event.agent !== undefined ? [event.agent] : [];
  }
}

/** The messages that an event names. A task has the id of its request. */
function messagesIn(event: TeamEvent): string[] {
  switch (event.type) {
    case "message_sent":
      return [event.message.id];
    case "task_changed":
      return [event.task.id];
    case "message_moved":
    case "answered":
      return [event.id];
    case "turn_started":
    case "turn_ended":
      return event.messages;
    default:
      return [];
  }
}
