import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { ScriptedFault } from "./answer-schema.ts";
import { apiFailureOf, errorBody } from "./messages-api.ts";
import { sendJson } from "./send-json.ts";

/** Faults that strike after a part of the answer was sent. */
export type MidwayFault = Extract<ScriptedFault, { after_deltas: number }>;

export function isMidway(fault: ScriptedFault | undefined): fault is MidwayFault {
  return fault !== undefined && "after_deltas" in fault;
}

/** Fails instead of answering. Returns false when the fault is not of that kind. */
export function failAtOnce(
  response: ServerResponse,
  fault: ScriptedFault,
  { stream, refuse }: { stream: boolean; refuse: (forMs: number) => void },
): boolean {
  if (fault.kind === "http") sendFailure(response, fault);
  else if (fault.kind === "usage_limit") refuseUse(response, fault);
  else if (fault.kind === "sse_error" && !stream) sendFailure(response, { ...fault, status: 529 });
  else if (fault.kind === "reset" || fault.kind === "refuse") {
    if (fault.kind === "refuse") refuse(fault.for_ms);
    response.socket?.resetAndDestroy();
  } else return false;
  return true;
}

function sendFailure(
  response: ServerResponse,
  fault: {
    status: number;
    type?: string | undefined;
    message?: string | undefined;
    retry_after_s?: number | undefined;
  },
): void {
  const { status, retry_after_s } = fault;
  const usual = apiFailureOf(status);
  const body = errorBody(fault.type ?? usual.type, fault.message ?? usual.message);
  if (retry_after_s !== undefined) response.setHeader("retry-after", retry_after_s);
  sendJson(response, status, body);
}

const SECOND_MS = 1_000;

/** As the API refuses an account whose limit is used up: with the time of its reset, in whole seconds since 1970. */
function refuseUse(
  response: ServerResponse,
  { resets_in_s, limit }: Extract<ScriptedFault, { kind: "usage_limit" }>,
): void {
  const resetsAt = Math.ceil(Date.now() / SECOND_MS + resets_in_s);
  response.setHeader("anthropic-ratelimit-unified-status", "rejected");
  response.setHeader("anthropic-ratelimit-unified-reset", resetsAt);
  response.setHeader("anthropic-ratelimit-unified-representative-claim", limit);
  response.setHeader("retry-after", Math.ceil(resets_in_s));
  response.setHeader("x-should-retry", "false");
  sendJson(
    response,
    429,
    errorBody("rate_limit_error", "This request would exceed your account's rate limit"),
  );
}

/** Breaks off, or stalls, an answer that was sent in part. */
export async function breakOff(
  response: ServerResponse,
  fault: MidwayFault,
  signal: AbortSignal,
): Promise<void> {
  switch (fault.kind) {
    case "cut":
      response.destroy();
      break;
    case "stall":
      if (!signal.aborted) await once(signal, "abort");
      break;
    case "bad_json":
      response.end('event: content_block_delta\ndata: {"type":"content_block_del\n\n');
      break;
    case "sse_error": {
      const body = JSON.stringify(errorBody(fault.type, fault.message));
      response.end(`event: error\ndata: ${body}\n\n`);
      break;
    }
  }
}
