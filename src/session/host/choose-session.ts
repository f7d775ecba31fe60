import { randomUUID } from "node:crypto";
import { findTranscript } from "../../engine/recovery/index.ts";
import { storedSessions } from "../../engine/sessions.ts";
import { errorOf } from "../../wire/errors.ts";
import type { SessionOptions } from "../core/session.ts";
import type { LogIndex } from "../files/log-index.ts";
import type { HostFlags } from "./flags.ts";

/** Which session to run, and where its conversation comes from. */
export type SessionChoice = Pick<SessionOptions, "sessionId" | "origin">;

/** @throws `session_not_found`; `invalid_params` when there is nothing to fork. */
export async function chooseSession(
  flags: Pick<HostFlags, "cwd" | "resume" | "continue" | "fork">,
  configDir: string,
  places: LogIndex,
): Promise<SessionChoice> {
  const wanted = flags.continue ? await newestIn(flags.cwd, configDir) : flags.resume;
  if (wanted === undefined) {
    if (flags.fork) {
      throw errorOf(
        "invalid_params",
        "--fork continues in a copy, but no session to copy is named.",
        {
          hint: "Name the session with --resume ID, or take the newest with --continue.",
        },
      );
    }
    return { sessionId: randomUUID() };
  }
  const isInCli = findTranscript(configDir, wanted) !== undefined;
  // A session without messages has a log, but no transcript of the CLI.
  const isKnown = isInCli || (!flags.fork && places.find(wanted) !== undefined);
  if (!isKnown) throw notFound(wanted);
  if (flags.fork) return { sessionId: randomUUID(), origin: { resume: wanted, fork: true } };
  return { sessionId: wanted, ...(isInCli && { origin: { resume: wanted } }) };
}

async function newestIn(cwd: string, configDir: string): Promise<string> {
  const [newest] = await storedSessions({ configDir, cwd, limit: 1 });
  if (newest) return newest.session_id;
  throw errorOf("session_not_found", `There is no session in ${cwd} to continue.`, {
    hint: "Omit --continue to start one.",
  });
}

const notFound = (id: string): Error =>
  errorOf("session_not_found", `Claude Code has no session ${id}.`, { data: { session_id: id } });
