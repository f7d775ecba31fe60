import { createHash } from "node:crypto";
import { uuidOfDigest } from "../../text/uuid-of-digest.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The id under which the CLI knows a message. The CLI takes only UUIDs, and a client may choose any text: the UUID is
 * then derived from the text, so that it is the same after every restart.
 */
export function cliUuidOf(messageId: string): string {
  if (uuid.test(messageId)) return messageId;
  const digest = createHash("sha256").update(`agent-switchboard message ${messageId}`).digest();
  return uuidOfDigest(digest, 8);
}
