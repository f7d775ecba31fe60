import type { SessionEvent, SessionEventOf } from "../../wire/session/events.ts";

/** Events that are rebuilt from the state, or that are of no use once they are over. */
const passing: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "status",
  "usage",
  "retry",
  "compacting",
  "tool_progress",
  "title_changed",
  "mode_changed",
  "model_changed",
  "mcp_servers_set",
  "mcp_status",
  "background_tasks",
  "tools_offered",
  "tools_withdrawn",
  "grants",
  "closing",
  "continuation_planned",
  "continuation_canceled",
  "snapshot_begin",
  "snapshot_end",
]);

/** A client that joins sees this much of the last output of a running command. */
const LIVE_OUTPUT_CHARS = 16_384;

type Delta = SessionEventOf<
  "text_delta" | "thinking_delta" | "tool_input_delta" | "tool_output_delta"
>;

/** A block or stream that is being joined, at the position of its first piece. */
interface Joined {
  readonly first: Delta;
  readonly pieces: string[];
}

/**
 * A conversation without what matters only while it happens: each text is one delta, retracted texts are gone, and so
 * are the pieces of calls and results that are complete.
 */
export function snapshotEvents(events: readonly SessionEvent[]): SessionEvent[] {
  const kept: (SessionEvent | Joined | undefined)[] = [];
  const open = new Map<string, number>();

  const join = (key: string, delta: Delta, piece: string): void => {
    const known = kept[open.get(key) ?? -1];
    if (known && "pieces" in known) known.pieces.push(piece);
    else {
      open.set(key, kept.length);
      kept.push({ first: delta, pieces: [piece] });
    }
  };
  const drop = (key: string): void => {
    const index = open.get(key);
    if (index !== undefined) kept[index] = undefined;
    open.delete(key);
  };

  for (const event of events) {
    switch (event.type) {
      case "text_delta":
      case "thinking_delta":
        join(blockKey(event.type, event.block, event), event, event.text);
        break;
      case "retracted":
        if (event.request_id !== undefined) {
          drop(`input ${event.request_id}`);
          drop(`call ${event.request_id}`);
        }
        if (event.block === undefined) break;
        drop(blockKey("text_delta", event.block, event));
        drop(blockKey("thinking_delta", event.block, event));
        break;
      case "tool_input_delta":
        join(`input ${event.request_id}`, event, event.partial_json);
        break;
      case "tool_output_delta":
        if (event.ended) drop(`output ${event.request_id}`);
        else join(`output ${event.request_id}`, event, event.text);
        break;
      case "tool_use":
        drop(`input ${event.request_id}`);
        open.set(`call ${event.request_id}`, kept.length);
        kept.push(event);
        break;
      case "tool_result":
        // It has run, and stays.
        open.delete(`call ${event.request_id}`);
        drop(`output ${event.request_id}`);
        kept.push(event);
        break;
      case "todo":
        // The main agent's list comes from the state.
        if (event.parent !== undefined) kept.push(event);
        break;
      default:
        if (!passing.has(event.type)) kept.push(event);
    }
  }
  return kept.flatMap((item) => (item === undefined ? [] : [finished(item)]));
}

function blockKey(
  type: string,
  block: number,
  { turn_id, parent }: { turn_id?: string | undefined; parent?: string | undefined },
): string {
  return JSON.stringify([type, turn_id, parent, block]);
}

function finished(item: SessionEvent | Joined): SessionEvent {
  if (!("pieces" in item)) return item;
  const whole = item.pieces.join("");
  if (item.first.type === "tool_input_delta") return { ...item.first, partial_json: whole };
  if (item.first.type !== "tool_output_delta") return { ...item.first, text: whole };
  const { skipped_bytes: _skipped, ...first } = item.first;
  return { ...first, text: whole.slice(-LIVE_OUTPUT_CHARS) };
}
