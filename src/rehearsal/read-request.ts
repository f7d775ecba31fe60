import type { IncomingMessage } from "node:http";
import type { MessagesRequest } from "./messages-api.ts";
import { MessagesRequestSchema } from "./messages-api.ts";
import { readBody } from "./read-body.ts";
import type { ModelRoute } from "./route-of-path.ts";

/** A request body, or the status and the text with which the API would refuse it. */
export type ReadRequest =
  | { status: 200; body?: MessagesRequest }
  | { status: 400 | 404 | 413; problem: string; body?: undefined };

export async function readRequest(
  route: ModelRoute,
  request: IncomingMessage,
): Promise<ReadRequest> {
  const text = await readBody(request);
  if (route.to === "hello") return { status: 200 };
  if (route.to === "other" || request.method !== "POST") {
    return { status: 404, problem: `Not found: ${request.method} ${request.url}` };
  }
  if (text === undefined) return { status: 413, problem: "Request exceeds the maximum size" };
  const parsed = MessagesRequestSchema.safeParse(parseJson(text));
  if (parsed.success) return { status: 200, body: parsed.data };
  const [issue] = parsed.error.issues;
  return { status: 400, problem: `${issue?.path.join(".") || "body"}: ${issue?.message}` };
}

/** Undefined, which the schema refuses, for invalid JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
