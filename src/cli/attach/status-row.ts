import type { SessionClient, SessionView } from "../../client/core.ts";
import type { Paint } from "./terminal-formats.ts";

export interface StatusFacts {
  readonly view: SessionView;
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
  const { mode = init.mode, model = init.model, context, costUsd } = view.state;
  const facts = [
    hint ?? (isConnected ? doing(view, init.read_only, now) : lost),
    mode,
    model,
    contextShare(context),
    costUsd > 0 ? `$${costUsd.toFixed(2)}` : undefined,
    init.read_only ? "read only, Ctrl-C leaves" : undefined,
    init.rehearsal ? "rehearsal" : undefined,
  ];
  return paint("dim", facts.filter((fact) => fact !== undefined).join(" · "));
}

function doing(view: SessionView, isReadOnly: boolean, now: number): string {
  const { length: queued } = view.queuedMessages;
  const waits = queued > 0 ? `, ${queued} queued` : "";
  if (view.pending.length > 0) {
    return `${isReadOnly ? "waits for a decision" : "waits for you"}${waits}`;
  }
  const { turn } = view.state;
  if (!turn) return `ready${waits}`;
  const seconds = Math.max(Math.round((now - Date.parse(turn.startedAt)) / 1000), 0);
  return `works ${seconds} s${isReadOnly ? "" : ", Esc stops it"}${waits}`;
}

function contextShare(context: SessionView["state"]["context"]): string | undefined {
  if (!context || context.window === 0) return undefined;
  return `${Math.round((100 * context.tokens) / context.window)} % of context`;
}
