import type { Priority, TeamEvent, TeamEventOf } from "agent-switchboard/wire";
import { firstWords } from "./first-words.ts";

/** The person's own lane, and the sender of what they say. No agent has this name. */
export const USER = "user";

export interface Turn {
  readonly key: string;
  readonly agent: string;
  readonly id: string;
  /** The event of the agent's own log, for a link to the turn. */
  readonly sessionSeq: number | undefined;
  readonly from: number;
  /** Undefined while it runs. */
  readonly to: number | undefined;
  readonly costUsd: number;
  readonly stopReason: string | undefined;
  readonly tools: number;
}

/** A time in which an agent waits for a person. */
export interface Wait {
  readonly key: string;
  readonly agent: string;
  readonly from: number;
  readonly to: number | undefined;
  readonly outcome: string | undefined;
}

/** A message on its way: from where it was sent to where it was seen. */
export interface Flight {
  readonly key: string;
  readonly id: string;
  readonly seq: number;
  readonly from: string;
  readonly to: string;
  readonly priority: Priority;
  readonly words: string;
  readonly step: "sent" | TeamEventOf<"message_moved">["step"];
  readonly sentAt: number;
  readonly seenAt: number | undefined;
  /** When it was dealt with, or given up. */
  readonly endedAt: number | undefined;
  readonly why: string | undefined;
  readonly turn: TurnLink | undefined;
}

export interface TurnLink {
  readonly agent: string;
  readonly id: string;
  readonly sessionSeq: number | undefined;
}

/** A moment in a lane: a tool was called, a call failed, a message was refused. */
export interface Tick {
  readonly key: string;
  readonly agent: string;
  readonly at: number;
  readonly kind: "tool" | "failed" | "refused";
  readonly words: string;
}

const KEPT = 3000;
const stateEndsTurn: ReadonlySet<string> = new Set([
  "restarting",
  "quarantined",
  "stopped",
  "hibernated",
]);
const ended: ReadonlySet<string> = new Set(["returned", "done", "withdrawn", "dead"]);

/**
 * What the lines show, folded from the timeline. Values are replaced, never changed, so a copy costs little. It keeps the
 * newest of everything.
 */
export class Lanes {
  readonly turns: Map<string, Turn>;
  readonly waits: Map<string, Wait>;
  readonly flights: Map<string, Flight>;
  readonly ticks: Map<string, Tick>;
  /** The key of the turn that each agent is in. */
  readonly #running: Map<string, string>;
  /** The keys of waits that have no outcome yet. */
  readonly #openWaits: Set<string>;
  /** Which call a tick belongs to. */
  readonly #calls: Map<string, string>;
  lastSeq = 0;
  /** The time of the newest event. */
  lastAt = 0;

  constructor(from?: Lanes) {
    this.turns = new Map(from?.turns);
    this.waits = new Map(from?.waits);
    this.flights = new Map(from?.flights);
    this.ticks = new Map(from?.ticks);
    this.#running = new Map(from === undefined ? [] : from.#running);
    this.#calls = new Map(from === undefined ? [] : from.#calls);
    this.#openWaits = new Set(from === undefined ? [] : from.#openWaits);
    this.lastSeq = from?.lastSeq ?? 0;
    this.lastAt = from?.lastAt ?? 0;
  }

  apply(event: TeamEvent): void {
    if (event.seq <= this.lastSeq) return;
    this.lastSeq = event.seq;
    const at = Date.parse(event.at);
    this.lastAt = at;
    switch (event.type) {
      case "team_started":
        this.#endAll(event.last_at === undefined ? at : Date.parse(event.last_at));
        break;
      case "agent_state":
        if (stateEndsTurn.has(event.state)) this.#endTurn(event.agent, at, event.state);
        break;
      case "turn_started":
        this.#startTurn(event, at);
        break;
      case "turn_ended":
        this.#endTurn(event.agent, at, event.stop_reason, event.cost_usd);
        break;
      case "tool_called":
        this.#addCall(event, at);
        break;
      case "tool_ended":
        this.#endCall(event);
        break;
      case "approval_requested": {
        const { agent, request } = event;
        const key = request.request_id;
        this.#openWaits.add(key);
        keep(this.waits, key, { key, agent, from: at, to: undefined, outcome: undefined });
        break;
      }
      case "approval_resolved":
        this.#endWait(event.request_id, at, event.outcome);
        break;
      case "message_sent":
        this.#send(event, at);
        break;
      case "message_moved":
        this.#move(event, at);
        break;
      case "answered":
        this.#answer(event, at);
        break;
      case "refused": {
        const words = `→ ${event.to_agent}: ${firstWords(event.error.message)}`;
        this.#tick(event.seq, event.from_agent, at, "refused", words);
        break;
      }
      default:
        break;
    }
  }

  #startTurn(event: TeamEventOf<"turn_started">, at: number): void {
    const { agent, turn_id: id, session_seq: sessionSeq, messages, seq } = event;
    this.#endTurn(agent, at, undefined);
    const key = `t${seq}`;
    const rest = { to: undefined, costUsd: 0, stopReason: undefined, tools: 0 };
    keep(this.turns, key, { key, agent, id, sessionSeq, from: at, ...rest });
    this.#running.set(agent, key);
    for (const message of messages) {
      const flight = this.flights.get(message);
      if (flight) this.flights.set(message, { ...flight, turn: { agent, id, sessionSeq } });
    }
  }

  #endTurn(agent: string, to: number, stopReason: string | undefined, costUsd = 0): void {
    const key = this.#running.get(agent);
    this.#running.delete(agent);
    for (const open of this.#openWaits) {
      if (this.waits.get(open)?.agent === agent) this.#endWait(open, to, "aborted");
    }
    const turn = key === undefined ? undefined : this.turns.get(key);
    if (turn) this.turns.set(turn.key, { ...turn, to, stopReason, costUsd });
  }

  #endWait(key: string, to: number, outcome: string): void {
    const wait = this.waits.get(key);
    this.#openWaits.delete(key);
    if (wait && wait.to === undefined) this.waits.set(key, { ...wait, to, outcome });
  }

  /** A process of the team has ended, and all that its agents did then. */
  #endAll(at: number): void {
    for (const agent of this.#running.keys()) this.#endTurn(agent, at, undefined);
    for (const key of this.#openWaits) this.#endWait(key, at, "superseded");
  }

  #addCall(event: TeamEventOf<"tool_called">, at: number): void {
    const running = this.turns.get(this.#running.get(event.agent) ?? "");
    if (running) this.turns.set(running.key, { ...running, tools: running.tools + 1 });
    const words = `${event.tool} ${firstWords(event.summary)}`;
    keep(this.#calls, event.request_id, this.#tick(event.seq, event.agent, at, "tool", words));
  }

  #endCall({ request_id, is_error }: TeamEventOf<"tool_ended">): void {
    const tick = this.ticks.get(this.#calls.get(request_id) ?? "");
    this.#calls.delete(request_id);
    if (tick && is_error) this.ticks.set(tick.key, { ...tick, kind: "failed" });
  }

  #tick(seq: number, agent: string, at: number, kind: Tick["kind"], words: string): string {
    const key = `k${seq}`;
    keep(this.ticks, key, { key, agent, at, kind, words });
    return key;
  }

  #send({ message, seq }: TeamEventOf<"message_sent">, at: number): void {
    keep(this.flights, message.id, {
      ...openFlight,
      key: message.id,
      id: message.id,
      seq,
      from: message.from_agent,
      to: message.to_agent,
      priority: message.metadata.priority,
      words: firstWords(message.content),
      sentAt: at,
    });
  }

  #move({ id, step, reason, turn }: TeamEventOf<"message_moved">, at: number): void {
    const flight = this.flights.get(id);
    if (!flight) return;
    const isSeen = step === "seen" || step === "returned" || step === "done";
    this.flights.set(id, {
      ...flight,
      step,
      why: reason ?? flight.why,
      seenAt: flight.seenAt ?? (isSeen ? at : undefined),
      endedAt: ended.has(step) ? at : undefined,
      turn:
        turn === undefined
          ? flight.turn
          : { agent: turn.agent, id: turn.turn_id, sessionSeq: turn.session_seq },
    });
  }

  #answer({ id, agent, text, seq }: TeamEventOf<"answered">, at: number): void {
    const key = `answer ${id}`;
    keep(this.flights, key, {
      ...openFlight,
      key,
      id,
      seq,
      from: agent,
      to: USER,
      words: firstWords(text),
      step: "done",
      sentAt: at,
      seenAt: at,
      endedAt: at,
    });
  }
}

const openFlight = {
  priority: "normal",
  step: "sent",
  seenAt: undefined,
  endedAt: undefined,
  why: undefined,
  turn: undefined,
} as const;

function keep<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  kept.set(key, value);
  if (kept.size <= KEPT) return;
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
}
