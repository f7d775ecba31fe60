import { randomUUID } from "node:crypto";
import { findTranscript } from "../../engine/recovery/transcript.ts";
import { storedSessions } from "../../engine/sessions.ts";
import { errorOf } from "../../wire/errors.ts";
import type { SessionOptions } from "../core/session.ts";
import type { LogPlaces } from "../place/log-places.ts";
import type { HostFlags } from "./flags.ts";

/** Which session it shall be, and where its conversation comes from. */
export type Choice = Pick<SessionOptions, "sessionId" | "origin">;

/** @throws `session_not_found`; `invalid_params` when there is nothing to fork. */
export async function chooseSession(
  flags: Pick<HostFlags, "cwd" | "resume" | "continue" | "fork">,
  configDir: string,
  places: LogPlaces,
): Promise<Choice> {
  const wanted = flags.continue ? await newestIn(flags.cwd, configDir) : flags.resume;
  if (wanted === undefined) {
    if (flags.fork) {
      throw errorOf("invalid_params", "--fork goes on in a copy, and there is nothing to copy.", {
        hint: "Name the session with --resume ID, or take the newest with --continue.",
      });
    }
    return { sessionId: randomUUID() };
  }
  const isInCli = findTranscript(configDir, wanted) !== undefined;
  // One that was never spoken to has a log, but the CLI has not written anything about it.
  const isKnown = isInCli || (!flags.fork && places.find(wanted) !== undefined);
  if (!isKnown) throw notFound(wanted);
  if (flags.fork) return { sessionId: randomUUID(), origin: { resume: wanted, fork: true } };
  return { sessionId: wanted, ...(isInCli && { origin: { resume: wanted } }) };
}

async function newestIn(cwd: string, configDir: string): Promise<string> {
  const [newest] = await storedSessions({ configDir, cwd, limit: 1 });
  if (newest) return newest.session_id;
  throw errorOf("session_not_found", `There is no session in ${cwd} to continue.`, {
    hint: "Leave --continue out to begin one.",
  });
}

const notFound = (id: string): Error =>
  errorOf("session_not_found", `Claude Code has no session ${id}.`, { data: { session_id: id } });
