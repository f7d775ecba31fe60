import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Fault } from "./answer-schema.ts";
import { apiFailureOf, errorBody } from "./messages-api.ts";
import { sendJson } from "./send-json.ts";

/** Faults that strike when part of the answer is out. */
export type MidwayFault = Extract<Fault, { after_deltas: number }>;

export function isMidway(fault: Fault | undefined): fault is MidwayFault {
  return fault !== undefined && "after_deltas" in fault;
}

/** Fails in place of an answer. False when the fault is not of that sort. */
export function failAtOnce(
  response: ServerResponse,
  fault: Fault,
  { stream, refuse }: { stream: boolean; refuse: (forMs: number) => void },
): boolean {
  if (fault.kind === "http") sendFailure(response, fault);
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

/** Ends, or does not end, an answer of which a part has been sent. */
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
