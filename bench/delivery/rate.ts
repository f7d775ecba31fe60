import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { TeamEvent } from "../../src/wire/team/events.ts";
import { StdioClient } from "../bridge/stdio-client.ts";
import type { Figure, Survey } from "../harness.ts";
import { LiveTeam } from "./live-team.ts";
import { countOf, percentile } from "./numbers.ts";

const MESSAGES = countOf("DELIVERY_MESSAGES", 600);
const SENDERS = ["one", "two", "three"];
const SINKS = ["four", "five", "six"];
const PER_ANSWER = 20;
const CALM_MS = 400;
const CALM_SHARE = 4;
const WANTED = 100;
/** A little more, so that a late timer does not make it less. */
const PACE = 110;

/**
 * Each sender sends so many notes or pings, a batch in each answer of its model, or one note now and then;
 * the recipients are at rest. A ping is the same call, judged by the same rules and then answered on the spot.
 */
const script = `
const SINKS = ${JSON.stringify(SINKS)};
export default ({ agent, body }) => {
  const said = JSON.stringify(body.messages);
  if (agent === "boss") return boss(said);
  const order = [...said.matchAll(/send (\\d+) (calm note|note|ping)s/g)].at(-1);
  if (!order) return { text: "I am here." };
  const [, wanted, what] = order;
  const isCalm = what === "calm note";
  const sent = said.slice(order.index).split('"type":"tool_use"').length - 1;
  const left = Math.min(isCalm ? 1 : ${PER_ANSWER}, Number(wanted) - sent);
  if (left <= 0) return { text: "All sent." };
  const tools = Array.from({ length: left }, (_, index) => ({
    name: "mcp__team__send_message",
    input: {
      to: SINKS[(sent + index) % SINKS.length],
      content: "note " + (sent + index),
      type: what === "ping" ? "ping" : "info",
    },
  }));
  return { tools, ...(isCalm && { delay_ms: ${CALM_MS} }) };
};
function boss(said) {
  const order = [...said.matchAll(/begin with (\\d+ [\\w ]+)/g)].at(-1);
  if (!order || said.slice(order.index).includes("tool_result")) return { text: "They are at it." };
  const tools = ${JSON.stringify(SENDERS)}.map((to) => ({
    name: "mcp__team__send_message",
    input: { to, content: "send " + order[1] },
  }));
  return { tools };
}`;

/**
 * From the moment that a call of send_message comes in until the message stands in the recipient's conversation
 * and the bus knows it. Where a program calls, from the moment that it does.
 */
export function surveyRate(): Survey {
  return {
    title: `Notes between agents, by ${SENDERS.length} senders to ${SINKS.length} recipients at rest`,
    async measure() {
      const team = new LiveTeam(["boss", ...SENDERS, ...SINKS], script);
      try {
        await team.up();
        const each = Math.ceil(MESSAGES / SENDERS.length);
        const few = Math.ceil(each / CALM_SHARE);
        const calls = (count: number) => (traffic: Traffic) => traffic.calls >= count;
        const seen = (count: number) => (traffic: Traffic) => traffic.delaysMs.length >= count;
        const calm = await order(team, `${few} calm notes`, seen(few * SENDERS.length));
        const pings = await order(team, `${each} pings`, calls(each * SENDERS.length));
        const notes = await order(team, `${each} notes`, seen(each * SENDERS.length));
        const steady = await sendSteadily(team);
        return [
          ...figuresOf(calm, pings, notes),
          {
            name: "programs in place of the senders: rate",
            value: steady.sentPerSecond,
            unit: "/s",
            goal: { atLeast: WANTED },
          },
          {
            name: "programs in place of the senders: seen",
            value: steady.seenPerSecond,
            unit: "/s",
            goal: { atLeast: WANTED },
          },
          ...delaysOf("programs in place of the senders", steady),
        ];
      } finally {
        await team.remove();
      }
    },
  };
}

async function order(
  team: LiveTeam,
  what: string,
  isDone: (traffic: Traffic) => boolean,
): Promise<Traffic> {
  const traffic = new Traffic();
  let read = team.told.length;
  await team.client.request("send", { text: `begin with ${what}`, id: randomUUID() });
  await team.until(() => {
    for (; read < team.told.length; read += 1) traffic.take(team.told[read]!);
    return isDone(traffic);
  });
  return traffic;
}

/**
 * As many a second as are wanted, whether or not those before have arrived. In the place of the senders' CLIs
 * are programs that call the same tool through the same bridges, in no turn of their agent; the recipients are real.
 */
async function sendSteadily(team: LiveTeam): Promise<Traffic> {
  const clients = await Promise.all(SENDERS.map((id) => StdioClient.open(team.bridgeOf(id))));
  const traffic = new Traffic();
  let read = team.told.length;
  const answers: Promise<unknown>[] = [];
  const startMs = performance.now();
  for (let index = 0; index < MESSAGES; index += 1) {
    await sleep(Math.max(0, startMs + (index * 1000) / PACE - performance.now()));
    const to = SINKS[Math.floor(index / SENDERS.length) % SINKS.length];
    const input = { to, content: `note ${index}, called at ${Date.now()}`, type: "info" };
    answers.push(clients[index % clients.length]!.call("send_message", input));
  }
  await Promise.all(answers);
  await team.until(() => {
    for (; read < team.told.length; read += 1) traffic.take(team.told[read]!);
    return traffic.delaysMs.length >= MESSAGES;
  });
  await Promise.all(clients.map((client) => client.close()));
  return traffic;
}

/** What the senders' calls have come to. */
class Traffic {
  calls = 0;
  readonly delaysMs: number[] = [];
  readonly #calledMs = new Map<string, number>();
  #firstMs = Infinity;
  #lastMs = 0;
  #lastSeenMs = 0;

  take(event: TeamEvent): void {
    const ms = Date.parse(event.at);
    if (event.type === "tool_called" && SENDERS.includes(event.agent)) {
      this.#firstMs = Math.min(this.#firstMs, ms);
    } else if (event.type === "tool_ended" && SENDERS.includes(event.agent)) {
      this.calls += 1;
      this.#lastMs = ms;
    } else if (event.type === "message_sent" && SENDERS.includes(event.message.from_agent)) {
      if (event.message.type === "info")
        this.#calledMs.set(event.message.id, calledMs(event.message));
    } else if (event.type === "message_moved" && event.step === "seen") {
      const startMs = this.#calledMs.get(event.id);
      if (startMs === undefined) return;
      this.delaysMs.push(ms - startMs);
      this.#lastSeenMs = ms;
    }
  }

  get sentPerSecond(): number {
    const times = [...this.#calledMs.values()];
    return ((times.length - 1) / (Math.max(...times) - Math.min(...times))) * 1000;
  }

  get seenPerSecond(): number {
    const firstMs = Math.min(...this.#calledMs.values());
    return (this.delaysMs.length / (this.#lastSeenMs - firstMs)) * 1000;
  }

  get perSecond(): number {
    return (this.calls / (this.#lastMs - this.#firstMs)) * 1000;
  }
}

/** A message is as old as its call; a program says itself when it made it. */
function calledMs({ content, timestamp }: { content: string; timestamp: string }): number {
  const said = /called at (\d+)/.exec(content)?.[1];
  return said === undefined ? Date.parse(timestamp) : Number(said);
}

function figuresOf(calm: Traffic, pings: Traffic, notes: Traffic): Figure[] {
  return [
    { name: "one now and then: rate", value: calm.perSecond, unit: "/s" },
    ...delaysOf("one now and then", calm),
    { name: "as fast as they can: rate", value: notes.perSecond, unit: "/s" },
    {
      name: "    the same calls, answered on the spot and not sent",
      value: pings.perSecond,
      unit: "/s",
    },
    { name: "    × those", value: notes.perSecond / pings.perSecond, unit: "×" },
    ...delaysOf("as fast as they can", notes),
  ];
}

function delaysOf(name: string, { delaysMs }: Traffic): Figure[] {
  const delay = (percent: number, atMost: number): Figure => ({
    name: `${name}: send_message → message_seen, P${percent}`,
    value: percentile(delaysMs, percent),
    unit: "ms",
    goal: { atMost },
  });
  return [
    delay(50, 100),
    delay(99, 500),
    { name: `${name}: messages measured`, value: delaysMs.length, unit: "" },
  ];
}
