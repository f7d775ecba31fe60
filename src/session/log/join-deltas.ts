import type { SessionEvent, SessionEventOf } from "../../wire/session/events.ts";

type Delta = SessionEventOf<
  "text_delta" | "thinking_delta" | "tool_input_delta" | "tool_output_delta"
>;

/**
 * The name of the text that an event is a piece of; undefined for an event that is no piece, or that says more than its
 * text.
 */
export function streamOf(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "text_delta":
    case "thinking_delta":
      return blockName(event.type, event.block, event);
    case "tool_input_delta":
      return `input ${event.request_id}`;
    case "tool_output_delta":
      return event.ended || event.skipped_bytes !== undefined
        ? undefined
        : `output ${event.request_id}`;
    default:
      return undefined;
  }
}

/** A block's number counts within the turn and the agent. */
export const blockName = (
  type: "text_delta" | "thinking_delta",
  block: number,
  { turn_id, parent }: { turn_id?: string | undefined; parent?: string | undefined },
): string => JSON.stringify([type, turn_id, parent, block]);

/** The text of a piece. */
export const pieceOf = (event: SessionEvent): string =>
  event.type === "tool_input_delta"
    ? event.partial_json
    : event.type === "text_delta" ||
        event.type === "thinking_delta" ||
        event.type === "tool_output_delta"
      ? event.text
      : "";

/** The streams that an event cuts: pieces before and after it mean something else together. Undefined: none. */
export function closedBy(event: SessionEvent): ((stream: string) => boolean) | undefined {
  switch (event.type) {
    case "turn_started":
    case "done":
    case "retry":
    case "retracted":
      return () => true;
    // They may say that the CLI is gone, and with it the commands that run in the background.
    case "notice":
    case "closing":
      return (stream) => stream.startsWith("output ");
    case "tool_use":
      return (stream) => stream === `input ${event.request_id}`;
    case "tool_result":
      return (stream) => stream === `output ${event.request_id}`;
    case "tool_output_delta":
      return streamOf(event) === undefined
        ? (stream) => stream === `output ${event.request_id}`
        : undefined;
    default:
      return undefined;
  }
}

/** Events in which the pieces of a text are one event, at the place and with the number of the first. */
export function joinDeltas(events: readonly SessionEvent[]): SessionEvent[] {
  const joined: { event: SessionEvent; pieces: string[] }[] = [];
  const open = new Map<string, string[]>();
  for (const event of events) {
    const closes = closedBy(event);
    if (closes) for (const stream of open.keys()) if (closes(stream)) open.delete(stream);
    const stream = streamOf(event);
    const known = stream === undefined ? undefined : open.get(stream);
    if (known) {
      known.push(pieceOf(event));
      continue;
    }
    const pieces = stream === undefined ? [] : [pieceOf(event)];
    if (stream !== undefined) open.set(stream, pieces);
    joined.push({ event, pieces });
  }
  return joined.map(({ event, pieces }) =>
    pieces.length > 1 ? withText(event as Delta, pieces.join("")) : event,
  );
}

const withText = (delta: Delta, text: string): Delta =>
  delta.type === "tool_input_delta" ? { ...delta, partial_json: text } : { ...delta, text };
