import type { Engine } from "../../engine/index.ts";
import { errorOf } from "../../wire/errors.ts";
import type { DropOutcome } from "../../wire/session/answers.ts";
import { cliUuidOf } from "./cli-message-uuid.ts";
import type { SessionContext } from "./session-context.ts";

/**
 * Takes one accepted message back, unless the model has it or is about to get it.
 *
 * @throws `unknown_request` for an id that was never accepted; `cli_exited` if the CLI that has the message ends now.
 */
export async function dropMessage(
  { id, by, engine }: { id: string; by: string | undefined; engine: Engine | undefined },
  { inbox, watch, recorder }: Pick<SessionContext, "inbox" | "watch" | "recorder">,
): Promise<DropOutcome> {
  // The CLI may have written it down since we last looked.
  watch.look();
  if (!recorder.state.acceptedIds.has(id)) {
    throw errorOf("unknown_request", `No message ${id} was accepted.`, {
      hint: "Use an id that status lists in queued.",
    });
  }
  const drop = { reason: "dropped", ...(by !== undefined && { by }) } as const;
  const where = inbox.whereIs(id);
  if (where === "waiting") inbox.drop(id, drop);
  // Outside a turn the CLI begins with a message as soon as it has it.
  if (where === "given_to_cli" && engine && recorder.state.turn) {
    const keep = inbox.markUnwanted(id, drop);
    const isBack = await withdraw(id, engine).finally(keep);
    if (isBack) inbox.drop(id, drop);
  }
  await recorder.durable();
  return recorder.state.dropped.has(id) ? "dropped" : "too_late";
}

async function withdraw(id: string, engine: Engine): Promise<boolean> {
  try {
    return await engine.withdraw(cliUuidOf(id));
  } catch (cause) {
    throw errorOf("cli_exited", "Claude Code ended before it said whether it has the message.", {
      cause,
      hint: "Send the drop again when Claude Code has been restarted.",
    });
  }
}
