import type * as z from "zod";
import { closedList } from "../explained-enum.ts";

/** What a session tells people beside the conversation. The list is closed. */
export const NoticeCodeSchema = closedList({
  untrusted_project: "The project's settings and MCP servers were left out; trust it to use them.",
  foreign_writer:
    "Another program wrote to this session; the next message waits until a person approves it.",
  cli_restarted: "The Claude Code process ended and was started again.",
  host_restarted: "The session's own process was started again and goes on.",
  conversation_lost:
    "Claude Code's own file of this session lacks messages that the session's log has; with a request_id, messages wait until a person has decided.",
  transcript_mended:
    "Claude Code's own file of this session had lost something, and it was put back from the session's log.",
  cli_untested:
    "This version of Claude Code is not proven, or not known; data.off lists what does not work with it.",
  recovery_untested:
    "Recovery was not tested on this CLI version, so the session takes the safest path.",
  stalled_stream: "The model has sent nothing for a while.",
  rate_limit: "The account is near or over a limit; data says which and until when.",
  model_fallback: "Another model took over.",
  mcp_server_failed: "An MCP server did not start, so its tools are missing.",
  log_repaired:
    "The log was repaired: its last line was torn by a crash and was cut off, or its file was removed and was written again.",
  log_write_failed: "The log could not be written, for example because the disk is full.",
  transcript_not_saved:
    "The CLI could not save a part of its own transcript; the disk may be full.",
  compaction_failed: "The conversation could not be replaced by a summary and goes on as it was.",
  rehearsal: "The model is a rehearsed script.",
  cli_message: "The CLI's own words to its user.",
});

export type NoticeCode = z.infer<typeof NoticeCodeSchema>;

/** How much of a person's attention it wants, least first. */
export const NoticeLevelSchema = closedList({
  info: "For people who want to know everything.",
  notice: "Worth knowing; there is nothing to do.",
  suggestion: "Something to do.",
  warning: "Something is wrong, or about to be.",
});

export type NoticeLevel = z.infer<typeof NoticeLevelSchema>;
