import * as z from "zod";

const MAX_ID_LENGTH = 200;

const id = (about: string) => z.string().min(1).max(MAX_ID_LENGTH).describe(about);

export const MessageIdSchema = id(
  "Id of a message, chosen by its sender. Sent twice, it counts once.",
);
export const RequestIdSchema = id(
  "Id of one tool call. Its tool_use, approval_request and tool_result share it.",
);
export const TurnIdSchema = id("Id of the turn that this belongs to.");
export const SessionIdSchema = id("The Claude Code CLI's id of the session, as --resume takes it.");
export const LogIdSchema = id("Id of the event log. It stays when the session id changes.");
export const BlobIdSchema = id(
  "Id of a payload that is stored beside the log; get_blob fetches it.",
);

export const SeqSchema = z
  .int()
  .min(0)
  .describe("Place in the log: each event has the number after the one before it.");
export const EpochSchema = z.int().min(0).describe("Raised at each start of the session's host.");

export const TimestampSchema = z.iso.datetime().describe("When it happened, in UTC.");
