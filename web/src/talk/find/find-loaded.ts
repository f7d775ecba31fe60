import type { Conversation } from "agent-switchboard/client/core";
import type { WholeItem } from "../../state/talk-pages.ts";
import { wholeItems } from "../../state/talk-pages.ts";
import { plainTextOf, shownText } from "../transcript/plain-text.ts";
import type { Hit } from "./find-state.ts";

const AROUND = 60;

/** Finds a text in what the page has loaded, newest first: for an agent without a process that could search. */
export function findLoaded(
  conversations: readonly Conversation[],
  text: string,
  max: number,
): readonly Hit[] {
  const wanted = text.toLowerCase();
  const hits: Hit[] = [];
  for (const conversation of conversations.toReversed()) {
    for (const item of wholeItems(conversation.items).toReversed()) {
      const said = textOf(item);
      const at = said.toLowerCase().indexOf(wanted);
      if (at < 0) continue;
      hits.push({ ...placeOf(item, conversation), text, preview: around(said, at, text.length) });
      if (hits.length >= max) return hits;
    }
  }
  return hits;
}

export function textOf(item: WholeItem): string {
  switch (item.kind) {
    case "message":
      return plainTextOf(item.message);
    case "text":
    case "thinking":
      return item.text;
    case "tool":
      return [
        JSON.stringify(item.input ?? {}),
        item.result ? shownText(item.result.output) : "",
      ].join("\n");
    default:
      return "message" in item.note ? (item.note.message ?? "") : "";
  }
}

function placeOf(
  item: WholeItem,
  { turns }: Conversation,
): Pick<Hit, "seq" | "kind" | "turnId" | "requestId" | "messageId" | "at"> {
  const turn = item.turnId === undefined ? undefined : turns.get(item.turnId);
  const { kind } = item;
  const inTurn = { kind, seq: turn?.started.seq ?? 0, turnId: item.turnId, at: turn?.started.at };
  if (item.kind === "message") {
    const { seq, id, at } = item.message;
    return { ...inTurn, seq, messageId: id, at };
  }
  if (item.kind === "note") return { ...inTurn, seq: item.note.seq, at: item.note.at };
  if (item.kind !== "tool") return inTurn;
  return { ...inTurn, seq: item.result?.seq ?? inTurn.seq, requestId: item.requestId };
}

function around(text: string, at: number, length: number): string {
  const from = Math.max(0, at - AROUND);
  const to = Math.min(text.length, at + length + AROUND);
  return `${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`;
}
