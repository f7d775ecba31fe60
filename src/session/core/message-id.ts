import { createHash } from "node:crypto";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The id under which the CLI knows a message. It takes only UUIDs, and a client may choose any text: then
 * the UUID follows from the text, so that it is the same after every restart.
 */
export function uuidOf(messageId: string): string {
  if (uuid.test(messageId)) return messageId;
  const digest = createHash("sha256").update(`agent-switchboard message ${messageId}`).digest();
  // Version 8: made by rules of one's own.
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x80, 6);
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = digest.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join("-");
}
