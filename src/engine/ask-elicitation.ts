import { setImmediate as nextLoop } from "node:timers/promises";
import type { OnElicitation } from "@anthropic-ai/claude-agent-sdk";
import type { JsonObject } from "../wire/json.ts";
import type { ElicitAction } from "../wire/session/elicitation.ts";

/** An MCP server wants something from the person: a filled form, or a visit to a page. */
export interface ElicitationRequest {
  readonly server: string;
  readonly message: string;
  readonly mode: "form" | "url";
  /** Of a form: the JSON Schema of its content. */
  readonly schema?: JsonObject;
  readonly url?: string;
  /** The server's own id, of a page only. */
  readonly elicitation_id?: string;
  readonly title?: string;
  readonly description?: string;
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

export interface ElicitationAnswer {
  readonly action: ElicitAction;
  /** Only of an accepted form. */
  readonly content?: JsonObject;
}

/** Must not reject. */
export type Elicit = (request: ElicitationRequest) => Promise<ElicitationAnswer>;

/** Our function in the SDK's form. */
export function onElicitationOf(elicit: Elicit): OnElicitation {
  return async (request, { signal }) => {
    // As with permissions: the call before it in the same chunk may not have been reported yet.
    await nextLoop();
    if (signal.aborted) return { action: "cancel" };
    const { serverName, message, requestedSchema, url, elicitationId, title, description } =
      request;
    const { action, content } = await elicit({
      server: serverName,
      message,
      mode: request.mode ?? "form",
      signal,
      ...(requestedSchema && { schema: requestedSchema as JsonObject }),
      ...(url !== undefined && { url }),
      ...(elicitationId !== undefined && { elicitation_id: elicitationId }),
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
    });
    // The SDK's type of the content knows plain fields only; the server checks what it gets.
    return { action, ...(content && { content: content as Record<string, string> }) };
  };
}
