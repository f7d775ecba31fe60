import type { SessionClient, SessionView } from "../../client/index.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentSpec } from "../file/team.ts";
import { idOfRoleCheck } from "../messages/derive-message-id.ts";
import { SWITCHBOARD } from "../../wire/team/reserved-senders.ts";
import type { Changes } from "./wait-for-change.ts";

/** Asks a new agent to state its role, so that an agent without its persona gets no work. */
export async function confirmRole(
  session: SessionClient,
  { id, description }: AgentSpec,
  view: SessionView,
  events: Changes,
  signal: AbortSignal,
): Promise<void> {
  const messageId = idOfRoleCheck(view.logId);
  const text = [
    `Role check by the team's own process: you are ${id} (${description}).`,
    "Confirm your role in one sentence. Do not use any tool and do not start any work.",
  ].join("\n");
  await session.send(text, { id: messageId, from: SWITCHBOARD });
  await events.until(() => view.hasEnded(messageId) || undefined, signal);
  const failure = view.failureOf(messageId);
  if (failure !== undefined) {
    throw errorOf("start_failed", `${id} could not confirm its role: ${failure}`, {
      hint: "Look at the error before it: a key that is missing or spent is the usual reason.",
    });
  }
}
