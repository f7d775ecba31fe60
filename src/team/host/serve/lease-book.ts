import type { TeamSays } from "../../../wire/host.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import { HOST_LEASE_MS } from "../lease-times.ts";

/** Which agents a host may run, and until when. */
export interface LeaseBook {
  /** The highest of any process of the team that was heard. */
  readonly epoch: number;
  /** The highest of each agent. Kept for ever. */
  readonly terms: Readonly<Record<AgentId, number>>;
  /** The agents that run here, with the time when the team last named them. By the host's own steady clock. */
  readonly runs: ReadonlyMap<AgentId, { readonly term: number; readonly namedMs: number }>;
}

export type LeaseFact =
  | { readonly type: "said"; readonly says: TeamSays; readonly nowMs: number }
  | { readonly type: "tick"; readonly nowMs: number }
  | {
      readonly type: "started";
      readonly agent: AgentId;
      readonly epoch: number;
      readonly term: number;
      readonly nowMs: number;
    }
  | { readonly type: "stopped"; readonly agent: AgentId };

/** An agent that is to be stopped now, and why. */
export interface Ended {
  readonly agent: AgentId;
  readonly why: string;
}

/** The book after the fact, with the agents that must not run any longer. */
export function nextLeases(book: LeaseBook, fact: LeaseFact): readonly [LeaseBook, Ended[]] {
  switch (fact.type) {
    case "tick":
      return expired(book, fact.nowMs);
    case "said": {
      // First what is over: this process may have been held up for long, and what it hears now may be old.
      const [left, ended] = expired(book, fact.nowMs);
      const { epoch, agents } = fact.says;
      if (epoch < left.epoch) return [left, ended];
      const gone = [...left.runs].filter(([agent, { term }]) => agents[agent] !== term);
      const runs = new Map(
        [...left.runs]
          .filter(([agent, { term }]) => agents[agent] === term)
          .map(([agent, { term }]) => [agent, { term, namedMs: fact.nowMs }]),
      );
      const taken = gone.map(([agent]) => ({
        agent,
        why: "the team has given it to another host",
      }));
      return [{ ...left, epoch, runs }, [...ended, ...taken]];
    }
    case "started": {
      const { agent, epoch, term, nowMs } = fact;
      const runs = new Map(book.runs).set(agent, { term, namedMs: nowMs });
      return [{ epoch, terms: { ...book.terms, [agent]: term }, runs }, []];
    }
    case "stopped": {
      const runs = new Map(book.runs);
      runs.delete(fact.agent);
      return [{ ...book, runs }, []];
    }
    default:
      return fact satisfies never;
  }
}

function expired(book: LeaseBook, nowMs: number): readonly [LeaseBook, Ended[]] {
  const over = [...book.runs].filter(([, { namedMs }]) => nowMs - namedMs >= HOST_LEASE_MS);
  if (over.length === 0) return [book, []];
  const runs = new Map([...book.runs].filter(([agent]) => !over.some(([each]) => each === agent)));
  const seconds = HOST_LEASE_MS / 1000;
  return [
    { ...book, runs },
    over.map(([agent]) => ({ agent, why: `the team has not named it for ${seconds} s` })),
  ];
}

/** Why a start is refused: something newer is known here. */
export function whyRefused(
  book: LeaseBook,
  { agent, epoch, term }: { agent: AgentId; epoch: number; term: number },
): string | undefined {
  if (epoch < book.epoch)
    return `a newer process of the team is known (${book.epoch}, not ${epoch})`;
  const known = book.terms[agent] ?? 0;
  return term < known ? `a newer assignment of it is known (${known}, not ${term})` : undefined;
}
