import type { Command } from "commander";
import { errorOf } from "../../wire/errors.ts";
import { TitleSchema } from "../../wire/session/title.ts";
import type { StoredFlags } from "./stored-session.ts";
import { report, storedSessionCommand } from "./stored-session.ts";

const help = `
Example:
  agent-socket rename 3c0a "The parser"

A session that runs is renamed by its clients: in 'agent-socket attach', say
/rename TITLE.`;

/** `agent-socket rename`: gives a session that does not run a title. */
export function renameCommand(): Command {
  return storedSessionCommand("rename")
    .description("give a session that does not run a title")
    .argument("<title>", "one line of text")
    .addHelpText("after", help)
    .action(rename);
}

async function rename(name: string, words: string, flags: StoredFlags): Promise<void> {
  const title = TitleSchema.safeParse(words.trim());
  if (!title.success) {
    throw errorOf("invalid_params", "The title must be one line of at most 200 characters.");
  }
  // Loaded on demand: help does not need the Agent SDK.
  const { findSessionId } = await import("./find-session.ts");
  const { renameSession } = await import("../../session/host/change-stored-session.ts");
  const session_id = await findSessionId(name, flags);
  await renameSession(session_id, title.data, flags);
  report({ session_id, title: title.data }, `${session_id} is now: ${title.data}`, flags);
}
