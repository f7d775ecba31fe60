import { Buffer } from "node:buffer";
import type { Records, Write } from "../../bus/records.ts";
import { cutBytes } from "../../text/cut-bytes.ts";
import type { TeamEvent } from "../../wire/team/events.ts";
import { writesOfNotice } from "../record/open-notices.ts";

/** What an agent says is shown whole up to this size; of more, the timeline has the beginning. */
export const MAX_SHOWN_BYTES = 16_384;
/** By the number of the event: what its text is the beginning of. */
const TEXTS = "timeline-texts";

/** An event as the timeline has it, and what is written down beside it in the same step. */
export function asStored(event: TeamEvent): { event: TeamEvent; writes: Write[] } {
  if (event.type === "notice") {
    const named = { id: `n${event.seq}`, ...event };
    return { event: named, writes: writesOfNotice(named) };
  }
  if (event.type !== "said" && event.type !== "thought") return { event, writes: [] };
  const { text, seq } = event;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_SHOWN_BYTES) return { event, writes: [] };
  return {
    event: { ...event, text: cutBytes(text, MAX_SHOWN_BYTES), bytes },
    writes: [{ kind: "put", collection: TEXTS, key: String(seq), value: { text } }],
  };
}

/** The whole text of an event; undefined when there is no such event, or it has no text. */
export async function wholeText(
  records: Pick<Records, "get">,
  event: TeamEvent | undefined,
): Promise<string | undefined> {
  if (!event || !("text" in event)) return undefined;
  const whole = (await records.get(TEXTS, String(event.seq)))?.value["text"];
  return typeof whole === "string" ? whole : event.text;
}
