import { laneOf } from "../../../src/bus/inbox-order.ts";
import { idOfAutomaticAnswer, idOfCall } from "../../../src/team/messages/derive-message-id.ts";
import type { TeamEvent } from "../../../src/wire/team/events.ts";
import type { CCMessage } from "../../../src/wire/team/messages.ts";

/** What the model was asked: the conversation of an agent, as it stood then. */
export interface Asked {
  agent: string | null;
  atMs: number;
  words: string;
}

/** What is left of that when its words are forgotten. */
export interface Reading {
  agent: string | null;
  atMs: number;
  copiesOf: (message: CCMessage) => number;
}

/** The death of an agent's host, from the strike until it and its CLI were gone. By the clock of the machine. */
export interface HostStrike {
  agent: string;
  fromMs: number;
  untilMs: number;
}

export const messagesOf = (events: readonly TeamEvent[]): CCMessage[] =>
  events.flatMap((event) => (event.type === "message_sent" ? [event.message] : []));

/** What shows that a conversation has a message: the user's words, or the id that stands above the others'. */
const MARK = /job-\d+ please|message id: ([0-9a-f-]{36})|\(message ([0-9a-f-]{36})\)/g;

/** How often a conversation has each message. It is read once: there are many, and they get long. */
function copiesIn(words: string): (message: CCMessage) => number {
  const counts = new Map<string, number>();
  for (const [whole, above, carried] of words.matchAll(MARK)) {
    const mark = above ?? carried ?? whole;
    counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  return ({ id, from_agent, content }) => counts.get(from_agent === "user" ? content : id) ?? 0;
}

export const readingOf = ({ agent, atMs, words }: Asked): Reading => ({
  agent,
  atMs,
  copiesOf: copiesIn(words),
});

/**
 * How much later than it was made a request of a dying CLI may be written down. The next CLI takes longer
 * than that to ask its first question, so its own requests are not mistaken for those.
 */
const LATE_MS = 500;

/**
 * No conversation ever has a message twice, or has it and loses it again. With one exception: the CLI does
 * not wait for its file within a turn. When a host is killed, the model may have seen what stands neither in
 * our log nor in that file; then it is not there for a while, and comes once more. It has to have come when
 * the storm is over.
 */
export function judgeCopies(
  messages: readonly CCMessage[],
  readings: readonly Reading[],
  { strikes = [], isOver = true }: { strikes?: readonly HostStrike[]; isOver?: boolean } = {},
): string[] {
  return messages.flatMap((message) => {
    const own = readings.filter(({ agent }) => agent === message.to_agent);
    const counts = own.map(({ copiesOf }) => copiesOf(message));
    const wasStruckBefore = (index: number): boolean => {
      const [beforeMs, nowMs] = [own[index - 1]?.atMs ?? 0, own[index]?.atMs ?? 0];
      return strikes.some(
        ({ agent, fromMs, untilMs }) =>
          agent === message.to_agent && fromMs <= nowMs && beforeMs <= untilMs + LATE_MS,
      );
    };
    const isWrong = counts.some((count, index) => {
      if (count > 1) return true;
      return count === 0 && counts[index - 1] === 1 && !wasStruckBefore(index);
    });
    const isLost = isOver && counts.at(-1) === 0 && counts.includes(1);
    return isWrong || isLost ? [`${nameOf(message)}: copies ${counts.join(" ")}`] : [];
  });
}

/** Messages that the last conversation of their recipient does not have, once. */
export function findMissing(
  messages: readonly CCMessage[],
  lastWords: ReadonlyMap<string, string>,
): string[] {
  const last = new Map([...lastWords].map(([agent, words]) => [agent, copiesIn(words)]));
  return messages.flatMap((message) => {
    const copies = last.get(message.to_agent)?.(message) ?? 0;
    return copies === 1 ? [] : [`${nameOf(message)}: ${copies} copies at the end`];
  });
}

/**
 * Per sender, recipient, priority and lane, messages stand in the order in which they were sent; answers do so per
 * job, because an answer about another task waits for the end of the running turn. What a call waited for is no part of that: it overtakes what comes between two tools. The timeline says so, and
 * when a kill has kept it from that, the conversation does: there its id stands within the call's result.
 */
export function judgeOrder(
  events: readonly TeamEvent[],
  lastWords: ReadonlyMap<string, string>,
): string[] {
  const returned = new Set(
    events.flatMap((event) =>
      event.type === "message_moved" && event.step === "returned" ? [event.id] : [],
    ),
  );
  const lines = new Map<string, { message: CCMessage; place: number }[]>();
  for (const message of messagesOf(events)) {
    const { id, from_agent: from, to_agent: to, metadata, type, content } = message;
    const words = lastWords.get(to) ?? "";
    if (returned.has(id) || words.includes(`(message ${id})`)) continue;
    const mark = from === "user" ? content : `message id: ${id}`;
    const place = words.indexOf(mark);
    const lane = laneOf(type);
    const job = lane === "answer" ? ` about ${message.root_id}` : "";
    const line = `${from} → ${to}, ${metadata.priority}, ${lane}${job}`;
    lines.set(line, [...(lines.get(line) ?? []), { message, place }]);
  }
  return [...lines].flatMap(([line, entries]) =>
    entries.flatMap(({ message, place }, index) => {
      const before = entries[index - 1];
      return before && before.place > place
        ? [`${line}: "${message.content}" stands before "${before.message.content}"`]
        : [];
    }),
  );
}

/** Each message of an agent comes from one call of its model, or is the answer that was sent for it. */
export function judgeCalls(
  messages: readonly CCMessage[],
  toolUseIds: readonly string[],
  logIds: ReadonlyMap<string, string>,
): string[] {
  const wrong: string[] = [];
  const ids = messages.map(({ id }) => id);
  if (new Set(ids).size < ids.length) wrong.push("a message was sent twice under one id");
  const calls = new Set(
    toolUseIds.flatMap((call) => [...logIds.values()].map((logId) => idOfCall(logId, call))),
  );
  for (const message of messages) {
    const { id, from_agent, reply_to } = message;
    if (from_agent === "user" || calls.has(id)) continue;
    if (reply_to === null || id !== idOfAutomaticAnswer(reply_to)) {
      wrong.push(`${nameOf(message)}: comes from no call`);
    }
  }
  return wrong;
}

/** Each job has one answer, which is about it. */
export function judgeAnswers(
  events: readonly TeamEvent[],
  jobs: ReadonlyMap<string, number>,
): string[] {
  return [...jobs].flatMap(([id, job]) => {
    const answers = events.flatMap((event) =>
      event.type === "answered" && event.id === id ? [event] : [],
    );
    const [answer] = answers;
    const isRight =
      answers.length === 1 && !answer?.failed && answer?.text.includes(`Done-${job}.`) === true;
    return isRight
      ? []
      : [
          `job-${job} (${id}): ${JSON.stringify(answers.map(({ text, failed }) => ({ text, failed })))}`,
        ];
  });
}

const nameOf = ({ id, from_agent, to_agent, content }: CCMessage): string =>
  `${from_agent} → ${to_agent} "${content}" (${id})`;
