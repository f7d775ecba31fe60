import { randomUUID } from "node:crypto";
import type { TeamEvent } from "../../src/wire/team-events.ts";
import type { Figure, Survey } from "../harness.ts";
import { LiveTeam } from "./live-team.ts";
import { countOf, percentile } from "./numbers.ts";

const MESSAGES = countOf("DELIVERY_MESSAGES", 600);
const SENDERS = ["one", "two", "three"];
const SINKS = ["four", "five", "six"];
const PER_ANSWER = 20;
const WANTED = 100;

/**
 * Each sender sends so many notes or pings, a batch in each answer of its model; the recipients are at
 * rest. A ping is the same call, answered on the spot: what the CLIs alone take.
 */
const script = `
const SINKS = ${JSON.stringify(SINKS)};
export default ({ agent, body }) => {
  const said = JSON.stringify(body.messages);
  if (agent === "boss") return boss(said);
  const order = [...said.matchAll(/send (\\d+) (note|ping)s/g)].at(-1);
  if (!order) return { text: "I am here." };
  const [, wanted, what] = order;
  const sent = said.slice(order.index).split('"type":"tool_use"').length - 1;
  const left = Math.min(${PER_ANSWER}, Number(wanted) - sent);
  if (left <= 0) return { text: "All sent." };
  const tools = Array.from({ length: left }, (_, index) => ({
    name: "mcp__team__send_message",
    input: {
      to: SINKS[(sent + index) % SINKS.length],
      content: "n-" + agent + "-" + (sent + index) + ".",
      type: what === "ping" ? "ping" : "info",
    },
  }));
  return { tools };
};
function boss(said) {
  const order = [...said.matchAll(/begin with (\\d+ \\w+)/g)].at(-1);
  if (!order || said.slice(order.index).includes("tool_result")) return { text: "They are at it." };
  const tools = ${JSON.stringify(SENDERS)}.map((to) => ({
    name: "mcp__team__send_message",
    input: { to, content: "send " + order[1] },
  }));
  return { tools };
}`;

/** From the moment that the CLI can make a call of send_message until the message stands in the recipient's conversation. */
export function surveyRate(): Survey {
  return {
    title: `${MESSAGES} messages between agents, as fast as ${SENDERS.length} models send them`,
    async measure() {
      const team = new LiveTeam(["boss", ...SENDERS, ...SINKS], script);
      try {
        await team.up();
        const each = Math.ceil(MESSAGES / SENDERS.length);
        const pings = await order(team, `${each} pings`, (calls) => calls.ended(each));
        const notes = await order(team, `${each} notes`, (calls) => calls.seen(each));
        return figuresOf(pings, notes);
      } finally {
        await team.remove();
      }
    },
  };
}

async function order(
  team: LiveTeam,
  what: string,
  isDone: (calls: Calls) => boolean,
): Promise<Calls> {
  const calls = new Calls();
  let read = team.told.length;
  await team.client.request("send", { text: `begin with ${what}`, id: randomUUID() });
  await team.until(() => {
    for (; read < team.told.length; read += 1) calls.take(team.told[read]!);
    return isDone(calls);
  });
  return calls;
}

/** The calls of the senders, by what is in them. One agent's calls run one after the other. */
class Calls {
  readonly startMs = new Map<string, number>();
  readonly endMs = new Map<string, number>();
  readonly seenMs = new Map<string, number>();
  readonly #calledMs = new Map<string, { note: string; ms: number }>();
  readonly #freeMs = new Map<string, number>();
  readonly #notes = new Map<string, string>();

  take(event: TeamEvent): void {
    const ms = Date.parse(event.at);
    if (event.type === "tool_called" && SENDERS.includes(event.agent)) {
      this.#calledMs.set(event.request_id, { note: noteIn(event.summary), ms });
    } else if (event.type === "tool_ended" && this.#calledMs.has(event.request_id)) {
      const call = this.#calledMs.get(event.request_id)!;
      this.startMs.set(call.note, Math.max(call.ms, this.#freeMs.get(event.agent) ?? 0));
      this.endMs.set(call.note, ms);
      this.#freeMs.set(event.agent, ms);
    } else if (event.type === "message_sent") {
      this.#notes.set(event.message.id, noteIn(event.message.content));
    } else if (event.type === "message_moved" && event.step === "seen") {
      const note = this.#notes.get(event.id);
      if (note) this.seenMs.set(note, ms);
    }
  }

  ended = (each: number): boolean => this.endMs.size >= each * SENDERS.length;
  seen = (each: number): boolean => this.ended(each) && this.seenMs.size >= each * SENDERS.length;

  get perSecond(): number {
    const spanMs = Math.max(...this.endMs.values()) - Math.min(...this.startMs.values());
    return (this.endMs.size / spanMs) * 1000;
  }
}

function figuresOf(pings: Calls, notes: Calls): Figure[] {
  const delaysMs = [...notes.seenMs].map(([note, ms]) => ms - notes.startMs.get(note)!);
  const delay = (percent: number, atMost: number): Figure => ({
    name: `send_message → message_seen, P${percent}`,
    value: percentile(delaysMs, percent),
    unit: "ms",
    goal: { atMost },
  });
  return [
    { name: "rate reached", value: notes.perSecond, unit: "/s", goal: { atLeast: WANTED } },
    {
      name: "the CLIs alone: calls that are answered on the spot",
      value: pings.perSecond,
      unit: "/s",
    },
    { name: "    × the CLIs alone", value: notes.perSecond / pings.perSecond, unit: "×" },
    delay(50, 100),
    delay(99, 500),
    { name: "messages measured", value: delaysMs.length, unit: "" },
  ];
}

const noteIn = (text: string): string => /n-\w+-\d+\./.exec(text)?.[0] ?? "";
