import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { SessionEventOf } from "../../client/index.ts";
import type { Abilities } from "../abilities.ts";

type Notice = SessionEventOf<"notice">;

/** Codes that tell of something wrong; others are for information, if Claude Code does not say otherwise. */
const warnings: ReadonlySet<Notice["code"]> = new Set<Notice["code"]>([
  "untrusted_project",
  "conversation_lost",
  "cli_restarted",
  "stalled_stream",
  "rate_limit",
  "model_fallback",
  "mcp_server_failed",
  "log_write_failed",
  "transcript_not_saved",
  "compaction_failed",
]);

const severityOf = ({ code, level }: Notice): "info" | "warning" =>
  level === "warning" || (level === undefined && warnings.has(code)) ? "warning" : "info";

/** A notice that waits for a decision is asked, not told. */
export function noticeUpdates(notice: Notice, { notices }: Abilities): SessionUpdate[] {
  if (!notices || notice.request_id !== undefined) return [];
  const { message, hint } = notice;
  return [
    {
      sessionUpdate: "notice",
      severity: severityOf(notice),
      title: message,
      ...(hint !== undefined && { description: hint }),
    },
  ];
}

export function retryUpdates(
  retry: SessionEventOf<"retry">,
  abilities: Abilities,
): SessionUpdate[] {
  if (!abilities.notices) return [];
  const { attempt, max, delay_ms: delayMs, code } = retry;
  const title = `The model's API failed (${code}). Attempt ${attempt} of ${max} in ${Math.ceil(delayMs / 1000)} s.`;
  return [{ sessionUpdate: "notice", severity: "info", title }];
}
