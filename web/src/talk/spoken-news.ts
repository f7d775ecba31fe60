import type { Conversation } from "agent-switchboard/client/core";

export type SpokenNews =
  | { readonly kind: "begun" }
  | { readonly kind: "done"; readonly words: string }
  | { readonly kind: "failed"; readonly tool: string };

/** So many of the newest items are looked at for calls that have failed. */
const LOOKED_AT = 50;

/** What a person who listens is told of the step from one state to the next; the most important thing alone. */
export function newsBetween(before: Conversation, now: Conversation): SpokenNews | undefined {
  // A part of the log that was only read is no news.
  if (before.seq === 0 || now === before) return undefined;
  if (before.openTurn !== undefined && now.openTurn !== before.openTurn) {
    return { kind: "done", words: firstSentence(lastWords(now, before.openTurn)) };
  }
  const failed = now.items
    .slice(-LOOKED_AT)
    .findLast(
      (item) =>
        item.kind === "tool" && item.result?.is_error === true && item.result.seq > before.seq,
    );
  if (failed?.kind === "tool") return { kind: "failed", tool: failed.tool };
  if (now.openTurn !== undefined && before.openTurn === undefined) return { kind: "begun" };
  return undefined;
}

function lastWords({ items }: Conversation, turnId: string): string {
  const said = items.findLast(
    (item) => item.kind === "text" && item.turnId === turnId && item.parent === undefined,
  );
  return said?.kind === "text" ? said.text : "";
}

const MAX_WORDS = 200;

/** Up to the first full stop of any script, or the end of the line. */
export function firstSentence(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  const sentence = /^.*?[.!?。！？](?=\s|$|[^\d.])/u.exec(line)?.[0] ?? line;
  return sentence.length > MAX_WORDS ? `${sentence.slice(0, MAX_WORDS)} …` : sentence;
}
