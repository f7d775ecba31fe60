import { laneOf } from "../../../src/bus/lanes.ts";
import { idOfAutomaticAnswer, idOfCall } from "../../../src/team/messages/message-id.ts";
import type { TeamEvent } from "../../../src/wire/team-events.ts";
import type { CCMessage } from "../../../src/wire/team.ts";

/** What the model was asked: the conversation of an agent, as it stood then. */
export interface Asked {
  agent: string | null;
  words: string;
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

/** No conversation ever has a message twice, or has it and loses it again. */
export function judgeCopies(messages: readonly CCMessage[], asked: readonly Asked[]): string[] {
  const readings = asked.map(({ agent, words }) => ({ agent, copiesOf: copiesIn(words) }));
  return messages.flatMap((message) => {
    const counts = readings
      .filter(({ agent }) => agent === message.to_agent)
      .map(({ copiesOf }) => copiesOf(message));
    const first = counts.findIndex((count) => count > 0);
    const wrong = first === -1 ? [] : counts.slice(first).filter((count) => count !== 1);
    return wrong.length === 0 ? [] : [`${nameOf(message)}: copies ${counts.join(" ")}`];
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
 * Per sender, recipient, priority and lane, messages stand in the order in which they were sent. What a
 * call waited for is no part of that: it overtakes what comes between two tools.
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
    if (returned.has(message.id)) continue;
    const { id, from_agent: from, to_agent: to, metadata, type, content } = message;
    const mark = from === "user" ? content : `message id: ${id}`;
    const place = (lastWords.get(to) ?? "").indexOf(mark);
    const line = `${from} → ${to}, ${metadata.priority}, ${laneOf(type)}`;
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
