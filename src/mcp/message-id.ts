import { createHash } from "node:crypto";
import { randomUuid, uuidOfDigest } from "../text/uuid-of-digest.ts";

/** Claude Code sends the id of the tool call along, the same one when it repeats the call. */
const TOOL_USE_ID = "claudecode/toolUseId";
const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The id of the message that a call sends. The same call always gives the same id, so that the message counts once,
 * however often the call is repeated: the caller's own id, or the one that Claude Code sends along with the text. Other
 * clients that give no id get a new message for each call.
 */
export function messageIdOf(
  id: string | undefined,
  meta: Readonly<Record<string, unknown>> | undefined,
  text: string,
): string {
  if (id !== undefined) return isUuid.test(id) ? id.toLowerCase() : derived("id", id);
  const call = meta?.[TOOL_USE_ID];
  return typeof call === "string" && call !== "" ? derived("call", call, text) : randomUuid();
}

const derived = (...parts: readonly string[]): string =>
  uuidOfDigest(
    createHash("sha256")
      .update(JSON.stringify(["ask_team", ...parts]))
      .digest(),
    8,
  );
