import { randomUUID } from "node:crypto";
import { findTranscript, forkPoint } from "../../engine/recovery/index.ts";
import { storedSessions } from "../../engine/stored-sessions.ts";
import { errorOf } from "../../wire/errors.ts";
import type { SessionOptions } from "../core/session.ts";
import { cliUuidOf } from "../core/cli-message-uuid.ts";
import type { LogIndex } from "../files/log-index.ts";
import type { HostFlags } from "./host-flags.ts";

/** Which session to run, and where its conversation comes from. */
export type SessionChoice = Pick<SessionOptions, "sessionId" | "origin">;

/**
 * @throws `session_not_found`; `unknown_request` when the session to fork has no such message; `invalid_params` when there
 * is nothing to fork.
 */
export async function chooseSession(
  flags: Pick<HostFlags, "cwd" | "resume" | "continue" | "fork" | "at">,
  configDir: string,
  places: LogIndex,
): Promise<SessionChoice> {
  if (flags.at !== undefined && !flags.fork) {
    throw errorOf("invalid_params", "--at says where a copy ends, but no copy is to be made.", {
      hint: "Add --fork, and name the session with --resume ID.",
    });
  }
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
  const transcript = findTranscript(configDir, wanted);
  const isInCli = transcript !== undefined;
  // A session without messages has a log, but no transcript of the CLI.
  const isKnown = isInCli || (!flags.fork && places.find(wanted) !== undefined);
  if (!isKnown) throw notFound(wanted);
  if (flags.fork) {
    const at =
      transcript !== undefined && flags.at !== undefined && endOfCopy(transcript, flags.at);
    return { sessionId: randomUUID(), origin: { resume: wanted, fork: true, ...(at && { at }) } };
  }
  return { sessionId: wanted, ...(isInCli && { origin: { resume: wanted } }) };
}

function endOfCopy(transcript: string, messageId: string): string {
  const point = forkPoint(transcript, cliUuidOf(messageId));
  if (point.kind === "found") return point.uuid;
  if (point.kind === "unknown") {
    throw errorOf("unknown_request", `The session has no message ${messageId}.`, {
      hint: "Use the id of a user_message event, or the uuid of a row of Claude Code's own file of the session.",
    });
  }
  throw errorOf(
    "unknown_request",
    `A summary has taken the place of message ${messageId}, so that a copy cannot end with it.`,
    { hint: "Use a message after the last event 'compacted'." },
  );
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
