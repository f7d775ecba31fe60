import type { PendingRequest } from "../../wire/session/approval-events.ts";
import type { Paint } from "../attach/paint.ts";
import { diffRows } from "../attach/tool-line.ts";
import { brief } from "./brief.ts";

/**
 * What a person should know before they decide on a call, below its line: the rule that asks, and the first lines of
 * what the call would write.
 */
export function detailRows(request: PendingRequest, paint: Paint): string[] {
  if (request.type !== "approval_request") return [];
  const { tool, input, policy } = request;
  const rule = policy === undefined ? [] : [paint("dim", `the policy asks: ${brief(policy.rule)}`)];
  return [...rule, ...diffRows(tool, input, paint)].map((row) => `    ${row}`);
}
