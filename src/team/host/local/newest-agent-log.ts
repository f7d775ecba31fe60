import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StoredLog } from "../../../session/stored-logs.ts";
import { openStoredLog } from "../../../session/stored-logs.ts";
import { LogIndex } from "../../../session/stored-sessions.ts";
import type { AgentPaths } from "./agent-paths.ts";

/** The log that the agent's session wrote last; undefined when there is none. */
export function newestLogOf({ state }: AgentPaths): StoredLog | undefined {
  // To look is not to make the directories.
  if (!existsSync(join(state, "sessions"))) return undefined;
  const logs = new LogIndex(state).entries();
  const [newest] = logs.toSorted((one, other) => other.changedMs - one.changedMs);
  return newest && openStoredLog(newest.directory);
}
