import type { Conversation, SessionClient } from "../../client/core.ts";
import type { Paint } from "./paint.ts";

export interface StatusFacts {
  readonly view: Conversation;
  readonly init: SessionClient["init"];
  readonly isConnected: boolean;
  /** Its process has announced its end. */
  readonly hasClosed: boolean;
  readonly hint: string | undefined;
  readonly now: number;
}

/** One row with the session's state and settings. */
export function statusRow(
  { view, init, isConnected, hasClosed, hint, now }: StatusFacts,
  paint: Paint,
): string {
  const lost = hasClosed
    ? "the session has ended; if it is started again, this goes on"
    : "connection lost, trying again";
  const facts = [
    hint ?? (isConnected ? doing(view, init.read_only, now) : lost),
    view.mode ?? init.mode,
    view.model ?? init.model,
    contextShare(view),
    view.costUsd > 0 ? `$${view.costUsd.toFixed(2)}` : undefined,
    init.read_only ? "read only, Ctrl-C leaves" : undefined,
    init.rehearsal ? "rehearsal" : undefined,
  ];
  return paint("dim", facts.filter((fact) => fact !== undefined).join(" · "));
}

function doing(view: Conversation, isReadOnly: boolean, now: number): string {
  const queued = view.items.filter(
    (item) => item.kind === "message" && item.fate === "queued",
  ).length;
  const waits = queued > 0 ? `, ${queued} queued` : "";
  if (view.pending.length > 0) {
    return `${isReadOnly ? "waits for a decision" : "waits for you"}${waits}`;
  }
  const turn = view.openTurn === undefined ? undefined : view.turns.get(view.openTurn);
  if (!turn) return `ready${waits}`;
  const seconds = Math.max(Math.round((now - Date.parse(turn.started.at)) / 1000), 0);
  return `works ${seconds} s${isReadOnly ? "" : ", Esc stops it"}${waits}`;
}

function contextShare({ context }: Conversation): string | undefined {
  if (!context || context.window === 0) return undefined;
  return `${Math.round((100 * context.tokens) / context.window)} % of context`;
}
