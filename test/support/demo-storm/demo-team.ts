import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";

const shipped = join(import.meta.dirname, "../../../examples/teams/five-roles.yaml");

/** What each of them does follows from its conversation, so that it can be taken up anywhere. */
export const stormScript = join(import.meta.dirname, "../../fixtures/team/demo-storm-script.mjs");

export const lead = "grand_boss";
export const roles = [
  lead,
  "middle_manager",
  "research_specialist",
  "coding_specialist",
  "testing_specialist",
] as const;
export type Role = (typeof roles)[number];

/** The words that stand in the system prompt of each request of this role. */
export function personaOf(role: string | null): string {
  const { agents } = parse(readFileSync(shipped, "utf8")) as {
    agents: Record<string, { prompt: string }>;
  };
  return agents[role ?? ""]?.prompt.trim() ?? "no such role";
}

/** The shipped team as it is, its rules and its policy too, with budgets on. Kills are no failed starts. */
export function demoTeam(): string {
  const team = parse(readFileSync(shipped, "utf8")) as { agents: Record<string, object> };
  const agents = Object.entries(team.agents).map(([id, agent]) => [
    id,
    { ...agent, workdir: "work", budget: { usd: 1000, turns: 100_000 } },
  ]);
  return stringify({
    ...team,
    agents: Object.fromEntries(agents),
    timeouts: { start: 120, stable: 0.001, linger: 60 },
    budget: { usd: 1000, tokens: 1_000_000_000, task: { usd: 100, turns: 1000 } },
    limits: { per_sender_per_minute: 600, per_pair_per_minute: 200 },
  });
}
