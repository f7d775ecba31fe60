import type { BlobRef } from "../../wire/blob.ts";
import { isRecord } from "../../wire/json.ts";
import type { FileChange } from "../../wire/session/file-change.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import type { EventDraft } from "./event-draft.ts";
import { movePatches } from "./move-patches-to-blobs.ts";

/** Stores a payload and returns its reference. */
type Store = (payload: string) => BlobRef;

/** How much of an event is moved out: strings over a size, or also its whole input. */
export interface Lightening {
  readonly maxBytes: number;
  readonly wholeInput: boolean;
}

type FieldKind = "text" | "blocks" | "input" | "changes";

/** Fields that may hold a reference: a text; content blocks; an input, with any string in it; changes of files. */
const fields: Partial<Record<SessionEvent["type"], Record<string, FieldKind>>> = {
  user_message: { text: "text", content: "blocks" },
  tool_use: { input: "input" },
  tool_result: { output: "text", content: "blocks", changes: "changes" },
  approval_request: { input: "input", changes: "changes" },
  plan: { plan: "text" },
  approval_resolved: { plan: "text", updated_input: "input" },
};

/** Only these keys of a block are payloads: a reference in place of a URL or a type would be invalid. */
const payloadKeys: ReadonlySet<string> = new Set(["text", "data", "source"]);

/** The draft with its large payloads replaced; the draft itself when it has none. */
export function movePayloads(draft: EventDraft, how: Lightening, store: Store): EventDraft {
  const movable = fields[draft.type];
  if (!movable) return draft;
  let light: Record<string, unknown> = draft;
  for (const [field, kind] of Object.entries(movable)) {
    const value = light[field];
    const lighter = lightField(value, kind, how, store);
    if (lighter !== value) light = { ...light, [field]: lighter };
  }
  return light as EventDraft;
}

function lightField(value: unknown, kind: FieldKind, how: Lightening, store: Store): unknown {
  if (value === undefined) return value;
  if (kind === "changes") return movePatches(value as FileChange[], how.wholeInput, store);
  if (kind === "input" && how.wholeInput && isRecord(value)) return store(JSON.stringify(value));
  return lighten(value, how.maxBytes, store, kind === "blocks" ? payloadKeys : undefined);
}

/** Copies only what changes. */
function lighten(
  value: unknown,
  maxBytes: number,
  store: Store,
  keys: ReadonlySet<string> | undefined,
): unknown {
  if (typeof value === "string") return isOver(value, maxBytes) ? store(value) : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => lighten(item, maxBytes, store, keys));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value)) return value;
  let light = value;
  for (const [key, child] of Object.entries(value)) {
    if (keys && !keys.has(key)) continue;
    const lighter = lighten(child, maxBytes, store, keys);
    if (lighter !== child) light = { ...light, [key]: lighter };
  }
  return light;
}

/** A UTF-16 unit is one to three bytes of UTF-8, so most texts need not be measured. */
const isOver = (text: string, maxBytes: number): boolean =>
  text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes);
