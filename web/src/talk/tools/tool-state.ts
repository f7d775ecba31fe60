import type { ToolItem } from "agent-switchboard/client/core";

export type ToolState = "writing" | "waits" | "running" | "runsOn" | "done" | "failed" | "notRun";

/** Where a call is. A request that has been decided does not wait, and a turn that is over runs nothing. */
export function toolState(item: ToolItem, isTurnOver: boolean): ToolState {
  if (item.decision && !isLeave(item.decision)) return "notRun";
  if (item.result?.is_error === true) return "failed";
  if (item.result) return item.runsOn === true ? "runsOn" : "done";
  if (item.request && !item.decision) return isTurnOver ? "notRun" : "waits";
  if (isTurnOver) return "notRun";
  return item.input === undefined ? "writing" : "running";
}

/** A request that is asked again under another id has no outcome here. */
const isLeave = ({ outcome }: NonNullable<ToolItem["decision"]>): boolean =>
  outcome === "allowed" || outcome === "superseded";

const signs: Readonly<Record<ToolState, string>> = {
  writing: "…",
  waits: "!",
  running: "●",
  runsOn: "●",
  done: "✓",
  failed: "✕",
  notRun: "⧸",
};

export const toolSign = (state: ToolState): string => signs[state];
