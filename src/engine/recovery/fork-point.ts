import { conversationRows } from "./conversation-rows.ts";
import type { Row } from "./transcript.ts";
import { isPrompt, messagesOf } from "./transcript.ts";

/** Where a copy of a conversation ends, or why it cannot end there. */
export type ForkPoint =
  | { readonly kind: "found"; readonly uuid: string }
  /** The conversation has no such message or row. */
  | { readonly kind: "unknown" }
  /** A summary has taken its place: the CLI no longer reads what was before it. */
  | { readonly kind: "summarised" };

/**
 * The row with which a copy of the conversation ends: for a message, the last row of the turn that dealt with it; for
 * any other row, that row.
 */
export function forkPoint(path: string, id: string): ForkPoint {
  const rows = conversationRows(path);
  const end = endOf(rows, id);
  const uuid = rows[end]?.uuid;
  if (uuid === undefined) return { kind: "unknown" };
  const isSummarised = rows.some((row, index) => index > end && isBoundary(row));
  return isSummarised ? { kind: "summarised" } : { kind: "found", uuid };
}

function endOf(rows: readonly Row[], id: string): number {
  const at = rows.findIndex((row) => row.uuid === id || messagesOf(row).includes(id));
  const row = rows[at];
  if (!row || !isMessage(row, id)) return at;
  const next = rows.findIndex((each, index) => index > at && endsTurn(each));
  return next === -1 ? rows.length - 1 : next - 1;
}

/** A message that began a turn or joined one. */
const isMessage = (row: Row, id: string): boolean =>
  isPrompt(row) || (row.type !== "user" && messagesOf(row).includes(id));

/** The CLI makes a summary by itself in the middle of a turn, which goes on then. */
const endsTurn = (row: Row): boolean =>
  isPrompt(row) || (isBoundary(row) && row.compactMetadata?.trigger !== "auto");

const isBoundary = ({ type, subtype }: Row): boolean =>
  type === "system" && subtype === "compact_boundary";
