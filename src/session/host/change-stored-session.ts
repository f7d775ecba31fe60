import { existsSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { findTranscript } from "../../engine/recovery/index.ts";
import { storedSessionChanges } from "../../engine/stored-sessions.ts";
import { claudeConfig } from "../../claude-config/claude-config.ts";
import { syncDirectory } from "../../files/replace-file.ts";
import { errorOf } from "../../wire/errors.ts";
import { LogIndex } from "../files/log-index.ts";
import { heldSessions, lockSession } from "../files/session-lock.ts";
import { stateDirectory } from "../files/state-directory.ts";
import { rehearsalConfigDir } from "./model-environment.ts";

/** Where the session is stored. */
export interface StoredIn {
  /** It is one of a rehearsal, for which Claude Code has a directory of its own; by default both are searched. */
  readonly rehearsal?: boolean | undefined;
  /** The state directory, if not the default one. */
  readonly stateDir?: string | undefined;
}

/** What was removed with a session. */
export interface DeletedSession {
  readonly session_id: string;
  /** Claude Code's own file of the conversation; absent when it had none. */
  readonly transcript?: string;
  /** The directory of our log; absent when there was none. */
  readonly log?: string;
}

/**
 * Gives a session that does not run a title.
 *
 * @throws `session_in_use` when it runs; `session_not_found`.
 */
export async function renameSession(
  sessionId: string,
  title: string,
  where: StoredIn = {},
): Promise<void> {
  const { configDir } = find(sessionId, where);
  await whileUnused(sessionId, () => storedSessionChanges.rename(sessionId, title, configDir));
}

/**
 * Puts a session away: lists leave it out until somebody says something in it, or until `archived` is false again.
 *
 * @throws as `renameSession` does.
 */
export async function archiveSession(
  sessionId: string,
  { archived = true, ...where }: StoredIn & { readonly archived?: boolean } = {},
): Promise<void> {
  const { configDir } = find(sessionId, where);
  const change = archived ? storedSessionChanges.archive : storedSessionChanges.unarchive;
  await whileUnused(sessionId, () => change(sessionId, configDir));
}

/**
 * Removes a session for good: Claude Code's file of the conversation, those of its sub-agents, and our log with all that
 * is stored beside it. If it is cut short, it can be called again.
 *
 * @throws as `renameSession` does.
 */
export async function deleteSession(
  sessionId: string,
  where: StoredIn = {},
): Promise<DeletedSession> {
  const places = new LogIndex(stateDirectory(where.stateDir));
  const log = places.find(sessionId);
  const { configDir, transcript } = find(sessionId, where, log);
  return whileUnused(sessionId, async () => {
    const own = log !== undefined && (await isOwn(log, sessionId, places)) ? log : undefined;
    // The log goes first: as long as Claude Code has its file, the session is listed and can be deleted again.
    if (own !== undefined) {
      rmSync(own, { recursive: true, force: true });
      syncDirectory(dirname(own));
    }
    places.forget(sessionId);
    if (transcript !== undefined) await storedSessionChanges.delete(sessionId, configDir);
    return {
      session_id: sessionId,
      ...(transcript !== undefined && { transcript }),
      ...(own !== undefined && { log: own }),
    };
  });
}

/** After a crash, an id may still lead to a log that has moved on with another session (`/clear`). */
async function isOwn(log: string, sessionId: string, places: LogIndex): Promise<boolean> {
  const isOther = (each: { sessionId: string; directory: string }): boolean =>
    each.directory === log && each.sessionId !== sessionId;
  if (!existsSync(log) || places.entries().some(isOther)) return false;
  return !(await heldSessions()).some(({ log_id }) => log_id === basename(log));
}

/** No process of ours may run the session meanwhile. */
async function whileUnused<Result>(
  sessionId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const lock = await lockSession(sessionId, process.cwd());
  try {
    return await change();
  } finally {
    lock.release();
  }
}

function find(sessionId: string, where: StoredIn, log?: string) {
  const found = configDirs(where).map((configDir) => ({
    configDir,
    transcript: findTranscript(configDir, sessionId),
  }));
  const [first] = found;
  const stored = found.find(({ transcript }) => transcript !== undefined);
  if (stored) return stored;
  if (first && log !== undefined) return first;
  throw errorOf("session_not_found", `Claude Code has no session ${sessionId}.`, {
    data: { session_id: sessionId },
  });
}

/** Claude Code's directories in which the session may be. */
function configDirs({ rehearsal, stateDir }: StoredIn): string[] {
  return [
    ...(rehearsal === true ? [] : [claudeConfig(process.env).directory]),
    ...(rehearsal === false ? [] : [rehearsalConfigDir(stateDir)]),
  ];
}
