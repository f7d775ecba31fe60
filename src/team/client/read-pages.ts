import { errorOf } from "../../wire/errors.ts";
import type { TeamParamsInput } from "../../wire/team/control-methods.ts";
import type { TeamEvent } from "../../wire/team/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { TeamReader } from "./team-reader.ts";

type Reader = Pick<TeamReader, "request">;

/**
 * The events of a timeline that pass a filter, page by page: back from `before`, or from the newest event, or forward
 * from `after`. The events of a page are oldest first.
 */
export async function* timelinePages(
  team: Reader,
  filter: TeamParamsInput<"timeline"> = {},
): AsyncGenerator<TeamEvent[]> {
  const isForward = filter.after !== undefined;
  for (let params = filter; ;) {
    const { events, more, before, after } = await team.request("timeline", params);
    if (events.length > 0) yield events;
    if (!more) return;
    params = { ...params, ...(isForward ? { after } : { before }) };
  }
}

const PART_BYTES = 1_048_576;

/** A complete payload of an agent's session that was too large for an event. */
export async function readBlob(team: Reader, agent: AgentId, blob: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let offset = 0;
  for (let total = Infinity; offset < total;) {
    const part = await team.request("agent_blob", { agent, blob, offset, limit: PART_BYTES });
    const bytes = Uint8Array.from(atob(part.data), (letter) => letter.codePointAt(0) ?? 0);
    if (bytes.length === 0 && part.bytes > offset) {
      throw errorOf("internal", `The team sent ${offset} of ${part.bytes} bytes of ${blob}.`);
    }
    parts.push(bytes);
    offset += bytes.length;
    total = part.bytes;
  }
  const whole = new Uint8Array(offset);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
