import type { Command } from "commander";
import type { StoredFlags } from "./stored-session.ts";
import { report, storedSessionCommand } from "./stored-session.ts";

interface ArchiveFlags extends StoredFlags {
  readonly undo?: boolean;
}

const help = `
Nothing is removed: 'agent-socket list --all' shows the session, and --resume
continues it. A message in it takes it out of the archive again.`;

/** `agent-socket archive`: hides a session that does not run from lists. */
export function archiveCommand(): Command {
  return storedSessionCommand("archive")
    .description("hide a session that does not run from lists")
    .option("--undo", "show it again")
    .addHelpText("after", help)
    .action(archive);
}

async function archive(name: string, flags: ArchiveFlags): Promise<void> {
  // Loaded on demand: help does not need the Agent SDK.
  const { findSessionId } = await import("./find-session.ts");
  const { archiveSession } = await import("../../session/host/change-stored-session.ts");
  const session_id = await findSessionId(name, flags);
  const archived = flags.undo !== true;
  await archiveSession(session_id, { ...flags, archived });
  const words = archived ? "is archived" : "is no longer archived";
  report({ session_id, archived }, `${session_id} ${words}.`, flags);
}
