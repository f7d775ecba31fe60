import type { Command } from "commander";
import { errorOf } from "../../wire/errors.ts";
import { confirm } from "../ask-to-confirm.ts";
import type { StoredFlags } from "./stored-session.ts";
import { report, storedSessionCommand } from "./stored-session.ts";

interface DeleteFlags extends StoredFlags {
  readonly yes?: boolean;
}

const help = `
Removes Claude Code's file of the conversation and those of its sub-agents, and
this program's log with all that is stored beside it. It cannot be undone; to
hide a session, use 'agent-socket archive'. Files that the session has changed
in its project stay as they are.`;

/** `agent-socket delete`: removes a session that does not run, with its log. */
export function deleteCommand(): Command {
  return storedSessionCommand("delete")
    .description("remove a session that does not run, with its log, for good")
    .option("--yes", "do not ask")
    .addHelpText("after", help)
    .action(remove);
}

async function remove(name: string, flags: DeleteFlags): Promise<void> {
  // Loaded on demand: help does not need the Agent SDK.
  const { findSessionId } = await import("./find-session.ts");
  const { deleteSession } = await import("../../session/host/change-stored-session.ts");
  const session_id = await findSessionId(name, flags);
  const isSure = flags.yes === true || (await confirm(`Delete session ${session_id} for good?`));
  if (isSure === undefined) {
    throw errorOf("invalid_params", "There is no terminal to ask whether it is to be deleted.", {
      hint: "Add --yes.",
    });
  }
  if (!isSure) {
    process.stderr.write("Nothing was deleted.\n");
    return;
  }
  report(await deleteSession(session_id, flags), `${session_id} is deleted.`, flags);
}
