import type { EngineEvent } from "../../../engine/index.ts";
import type { JsonObject, JsonValue } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";
import type { EventDraft } from "../../log/event-draft.ts";
import { madeChanges } from "../../changes/made-changes.ts";
import { translateCliNotice } from "./cli-notices.ts";
import { toolOutputOf } from "./tool-output.ts";

/** Translates the engine's events that have the same meaning on the wire, whatever came before them. */
export function translate(event: EngineEvent): EventDraft[] {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
    case "tool_input_delta":
    case "retracted":
      return [event];
    case "tool_use": {
      const { request_id, tool, input, parent } = event;
      const mark = parent === undefined ? {} : { parent };
      return [{ type: "tool_use", request_id, tool, input: objectOf(input), ...mark }];
    }
    case "tool_result": {
      const { request_id, output, is_error, parent, detail } = event;
      const mark = parent === undefined ? {} : { parent };
      const changes = is_error ? undefined : madeChanges(detail);
      const result = {
        ...toolOutputOf(output),
        is_error,
        ...(changes && { changes }),
        ...metaOf(detail),
      };
      return [{ type: "tool_result", request_id, ...result, ...mark }];
    }
    case "tool_progress": {
      const { request_id, elapsed_ms, parent } = event;
      const mark = parent === undefined ? {} : { parent };
      return [{ type: "tool_progress", request_id, elapsed_ms, ...mark }];
    }
    case "retry": {
      const { attempt, max, ...rest } = event;
      return [{ ...rest, attempt: Math.max(1, attempt), max: Math.max(1, max) }];
    }
    case "compacting":
    case "compacted":
    case "notice":
    case "session_changed":
      return [event];
    case "rate_limit": {
      const { status, resets_at, kind, utilization } = event;
      if (status === "allowed") return [];
      const until = resets_at === undefined ? "" : ` until ${resets_at}`;
      return [
        {
          type: "notice",
          code: "rate_limit",
          message: `The account's rate limit${kind === undefined ? "" : ` (${kind})`}: ${status}${until}.`,
          data: {
            status,
            ...(resets_at !== undefined && { resets_at }),
            ...(kind !== undefined && { kind }),
            ...(utilization !== undefined && { utilization }),
          },
        },
      ];
    }
    case "stalled": {
      const { message, hint, data = {} } = event.error;
      return [{ type: "notice", code: "stalled_stream", message, hint, data }];
    }
    case "tool_summary":
    case "memory_recalled":
    case "progress":
      return translateCliNotice(event);
    default:
      return [];
  }
}

const objectOf = (input: JsonValue): Record<string, JsonValue> =>
  isRecord(input) ? input : { value: input };

/** Beyond this size it is left out: nobody needs it to understand the result. */
const MAX_META_CHARS = 16_384;

function metaOf(detail: JsonValue | undefined): { meta?: JsonObject } {
  const meta = isRecord(detail) ? detail["_meta"] : undefined;
  if (!isRecord(meta) || Object.keys(meta).length === 0) return {};
  return JSON.stringify(meta).length > MAX_META_CHARS ? {} : { meta };
}
