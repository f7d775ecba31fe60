import { BlobRefSchema } from "../../wire/blob.ts";
import { isRecord } from "../../wire/json.ts";
import type { SessionEvent } from "../../wire/session/events.ts";

export interface SearchedTexts {
  readonly texts: string[];
  /** The names of payloads that stand beside the log. */
  readonly blobs: string[];
}

/**
 * What a search looks at in an event that is no piece of a text. An event that repeats what another one has is left out: the
 * pieces of a call's input, its live output, and the request for it.
 */
export function textsOf(event: SessionEvent): SearchedTexts {
  const found: SearchedTexts = { texts: [], blobs: [] };
  for (const value of searchedValues(event)) collect(value, found);
  return found;
}

function searchedValues(event: SessionEvent): unknown[] {
  switch (event.type) {
    case "user_message":
      return [
        event.text,
        ...(event.content ?? []).map((block) => ("text" in block ? block.text : "")),
      ];
    case "tool_use":
      return [event.input];
    case "tool_result":
      return [event.output];
    case "plan":
      return [event.plan];
    case "approval_resolved":
      return [event.reason, event.updated_input, event.answers, event.plan];
    case "earlier":
      return event.messages.map(({ text }) => text);
    case "subagent_ended":
      return [event.summary];
    case "notice":
    case "error":
      return [event.message];
    default:
      return [];
  }
}

/** Every text in a value, at any depth. */
function collect(value: unknown, found: SearchedTexts): void {
  if (typeof value === "string") found.texts.push(value);
  else if (Array.isArray(value)) for (const each of value) collect(each, found);
  else if (isRecord(value)) {
    const stored = BlobRefSchema.safeParse(value);
    if (stored.success) found.blobs.push(stored.data.blob);
    else for (const each of Object.values(value)) collect(each, found);
  }
}
