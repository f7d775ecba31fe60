import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { StoredIn } from "../../session/host/change-stored-session.ts";
import type { LogEntry } from "../../session/stored-sessions.ts";
import { heldSessions, LogIndex, stateDirectory } from "../../session/stored-sessions.ts";
import { errorOf } from "../../wire/errors.ts";

/** Where a session can be read: at its socket while it runs, otherwise in its log. */
export type FoundSession =
  | { readonly at: "socket"; readonly path: string }
  | { readonly at: "log"; readonly path: string };

/** The shortest accepted prefix of an id. */
const LEAST_ID_CHARS = 4;

/**
 * Finds what a person named: a socket, the directory of a log, or the id of a session or of a log.
 *
 * @throws `session_not_found`; `invalid_params` when a prefix matches several, or the name is empty.
 */
export async function findSession(
  name: string,
  stateDir: string | undefined,
): Promise<FoundSession> {
  if (isPath(name)) {
    const isLog = statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
    return { at: isLog ? "log" : "socket", path: name };
  }
  const running = (await heldSessions()).filter(({ socket }) => socket !== undefined);
  const held = oneOf(name, running, ({ session_id, log_id }) => [session_id, log_id ?? ""]);
  if (held?.socket !== undefined) return { at: "socket", path: held.socket };
  return { at: "log", path: findLog(name, stateDir) };
}

/**
 * Finds a log by what a person named, as `findSession` does.
 *
 * @throws as `findSession` does.
 */
export function findLog(name: string, stateDir: string | undefined): string {
  if (isPath(name)) return name;
  const root = stateDirectory(stateDir);
  const found = oneOf(name, new LogIndex(root).entries(), idsOf);
  if (found) return found.directory;
  throw errorOf("session_not_found", `There is no session and no log ${name} in ${root}.`, {
    hint: "'agent-socket list' shows the ids of both; --state-dir names another place for logs.",
  });
}

/**
 * The id of a stored or running session that a person named by it, by the id of its log, or by the beginning of one.
 *
 * @throws as `findSession` does.
 */
export async function findSessionId(name: string, where: StoredIn): Promise<string> {
  const { listSessions } = await import("../../session/host/list-sessions.ts");
  const listed = await listSessions({
    all: true,
    rehearsal: where.rehearsal,
    ...(where.stateDir !== undefined && { stateDir: where.stateDir }),
  });
  const found = oneOf(name, listed, ({ session_id, log = "" }) => [session_id, basename(log)]);
  if (found) return found.session_id;
  // A session in which nothing was said has a log, and Claude Code does not know it.
  const logged = oneOf(name, new LogIndex(stateDirectory(where.stateDir)).entries(), idsOf);
  if (logged) return logged.sessionId;
  throw errorOf("session_not_found", `There is no session ${name}.`);
}

const idsOf = ({ sessionId, directory }: LogEntry): string[] => [sessionId, basename(directory)];

const isPath = (name: string): boolean => name.includes("/") || existsSync(name);

function oneOf<Entry>(
  name: string,
  entries: readonly Entry[],
  ids: (entry: Entry) => readonly string[],
): Entry | undefined {
  // It would match an entry that lacks one of its ids: an unset variable must not name a session to delete.
  if (name === "") throw errorOf("invalid_params", "The id of the session is empty.");
  const exact = entries.find((entry) => ids(entry).includes(name));
  if (exact !== undefined || name.length < LEAST_ID_CHARS) return exact;
  const [first, ...others] = entries.filter((entry) =>
    ids(entry).some((id) => id.startsWith(name)),
  );
  if (others.length === 0) return first;
  throw errorOf("invalid_params", `${name} is the beginning of ${others.length + 1} ids.`, {
    hint: "Give more characters of the id.",
  });
}
