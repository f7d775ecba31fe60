import { errorOf } from "../../wire/errors.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { Limits } from "../file/team-schema.ts";
import type { Thread } from "../messages/thread-of-message.ts";
import type { Refusal } from "./refusal.ts";

/**
 * Refuses a request that goes round in a circle. It looks at the path, not at pairs, because a triangle of agents never
 * repeats a pair in a row. Asking back is no circle; taking the same step a second time is.
 *
 * @param sentUnderRoot how many messages the exchange has had so far.
 */
export function checkLoop(
  thread: Thread,
  to: AgentId,
  sentUnderRoot: number,
  limits: Pick<Limits, "hops" | "messages_per_root">,
): Refusal {
  const { root_id, hop, path } = thread;
  const from = path.at(-1);
  if (stepsOf(path).some(([a, b]) => a === from && b === to)) {
    const way = [...path, to].join(" → ");
    return stopped(`This request has come round in a circle: ${way}.`, {
      limit: "cycle",
      path: [...path, to],
      root_id,
    });
  }
  if (hop > limits.hops) {
    return stopped(
      `This exchange is ${hop} hops away from its beginning; ${limits.hops} are allowed.`,
      {
        limit: "hops",
        hops: hop,
        root_id,
      },
    );
  }
  if (sentUnderRoot >= limits.messages_per_root) {
    return stopped(`This exchange has had ${sentUnderRoot} messages, which is the limit.`, {
      limit: "messages_per_root",
      messages: sentUnderRoot,
      root_id,
    });
  }
  return undefined;
}

const stopped = (message: string, data: Record<string, string | number | string[]>) =>
  errorOf("loop_stopped", message, { data });

const stepsOf = (path: readonly AgentId[]): [AgentId, AgentId][] =>
  path.slice(1).map((to, index) => [path[index] ?? "", to]);
