import { MAX_INLINE_BYTES } from "../../wire/blob.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import { encodeLine } from "../../wire/lines.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { blobOf } from "./blob-store.ts";
import type { EventDraft } from "./event-draft.ts";
import type { Lightening } from "./move-payloads-to-blobs.ts";
import { movePayloads } from "./move-payloads-to-blobs.ts";

const deltas: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "text_delta",
  "thinking_delta",
  "tool_input_delta",
  "tool_output_delta",
]);

/** A line is also part of other messages, such as a page of history: leaves room for what they add. */
const MAX_LINE_BYTES = 8_388_608;

/** As small as an event can be without changing its meaning. */
export const lightest: Lightening = { maxBytes: 8192, wholeInput: true };

/** Many payloads below the bound may still be too much for one line: then more and more is moved out. */
const attempts: readonly Lightening[] = [
  { maxBytes: MAX_INLINE_BYTES, wholeInput: false },
  { maxBytes: 8192, wholeInput: false },
  lightest,
];

export interface NumberedEvent {
  readonly event: SessionEvent;
  /** The event's bytes, in the log and to every client. */
  readonly line: Uint8Array;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

const NO_BLOBS: ReadonlyMap<string, Uint8Array> = new Map();

/**
 * Numbers a draft. The number comes first, so that it is found without parsing the line.
 * @throws `message_too_large`, `not_serialisable`
 */
export function numberEvent(draft: EventDraft, seq: number): NumberedEvent {
  if (deltas.has(draft.type)) {
    const event = { seq, ...draft } as SessionEvent;
    return { event, line: encodeLine(event, MAX_LINE_BYTES), blobs: NO_BLOBS };
  }
  const at = new Date().toISOString();
  let refusal: unknown;
  for (const attempt of attempts) {
    const blobs = new Map<string, Uint8Array>();
    const light = movePayloads(draft, attempt, (payload) => {
      const { ref, content } = blobOf(payload);
      blobs.set(ref.blob, content);
      return ref;
    });
    const event = { seq, at, ...light } as SessionEvent;
    try {
      return { event, line: encodeLine(event, MAX_LINE_BYTES), blobs };
    } catch (error) {
      refusal = error;
      if (!(error instanceof ClaudeCodeError && error.code === "message_too_large")) break;
    }
  }
  throw refusal;
}
