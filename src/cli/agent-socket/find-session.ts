import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
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
 * @throws `session_not_found`; `invalid_params` when a prefix matches several.
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

const idsOf = ({ sessionId, directory }: LogEntry): string[] => [sessionId, basename(directory)];

const isPath = (name: string): boolean => name.includes("/") || existsSync(name);

function oneOf<Entry>(
  name: string,
  entries: readonly Entry[],
  ids: (entry: Entry) => readonly string[],
): Entry | undefined {
  const exact = entries.find((entry) => ids(entry).includes(name));
  if (exact !== undefined || name.length < LEAST_ID_CHARS) return exact;
  const [first, ...others] = entries.filter((entry) =>
    ids(entry).some((id) => id.startsWith(name)),
  );
  if (others.length === 0) return first;
  throw errorOf("invalid_params", `${name} is the beginning of ${others.length + 1} ids.`, {
    hint: "Give more of its letters.",
  });
}
