import type { TeamEventOf } from "agent-switchboard/wire";

export interface DayCosts {
  /** As YYYY-MM-DD, in the person's own time. */
  readonly day: string;
  /** A map: an agent may be called as what every object has. */
  readonly byAgent: ReadonlyMap<string, number>;
  readonly usd: number;
  readonly tokens: number;
  readonly turns: number;
}

/** What turns have cost by the day on which they ended, the oldest day first. Days without turns are left out. */
export function costsByDay(turns: readonly TeamEventOf<"turn_ended">[]): DayCosts[] {
  const days = new Map<string, DayCosts>();
  for (const { at, agent, cost_usd: usd, tokens } of turns) {
    const day = dayOf(new Date(at));
    const known = days.get(day) ?? { day, byAgent: new Map(), usd: 0, tokens: 0, turns: 0 };
    days.set(day, {
      day,
      byAgent: new Map(known.byAgent).set(agent, (known.byAgent.get(agent) ?? 0) + usd),
      usd: known.usd + usd,
      tokens: known.tokens + tokens,
      turns: known.turns + 1,
    });
  }
  return [...days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

const dayOf = (time: Date): string =>
  [time.getFullYear(), time.getMonth() + 1, time.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
