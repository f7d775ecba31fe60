import type { HostSays } from "../../../wire/host.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import type { Placement } from "../../file/team.ts";

/** A host that has joined the team. */
export interface Candidate {
  readonly name: string;
  readonly says: HostSays;
  /** How many agents it has. */
  readonly agents: number;
}

export interface AgentToPlace {
  readonly id: AgentId;
  readonly placement: Placement;
  /** A script plays the team's model. */
  readonly rehearsed: boolean;
  /** The host that it was given to before, which has its conversation. */
  readonly current: string | undefined;
}

/** The name of a host, or why there is none yet. */
export type Choice = { readonly host: string } | { readonly wait: string };

/** Where an agent is to run. One that has a conversation stays where that is, as long as the team file allows it. */
export function chooseHost(agent: AgentToPlace, candidates: readonly Candidate[]): Choice {
  const { placement, current } = agent;
  const named = "host" in placement ? placement.host : undefined;
  const fits = candidates.filter(({ name, says }) =>
    "host" in placement ? name === placement.host : hasLabels(says, placement.labels),
  );
  const wanted = named ?? fits.find(({ name }) => name === current)?.name;
  if (wanted !== undefined) return checked(agent, wanted, candidates);
  const isAway = current !== undefined && !candidates.some(({ name }) => name === current);
  if (isAway) return { wait: `waits for the host ${current}, which has its conversation` };
  const able = fits.filter((each) => whyNot(agent, each) === undefined);
  const [first] = able.toSorted((one, other) => one.agents - other.agents);
  if (first) return { host: first.name };
  const [refusing] = fits;
  return {
    wait: refusing
      ? `waits: ${whyNot(agent, refusing)}`
      : `waits for a host with ${words(placement)}`,
  };
}

function checked(agent: AgentToPlace, wanted: string, candidates: readonly Candidate[]): Choice {
  const found = candidates.find(({ name }) => name === wanted);
  if (!found) return { wait: `waits for the host ${wanted}, which is not there` };
  const refusal = whyNot(agent, found);
  return refusal === undefined ? { host: wanted } : { wait: `waits: ${refusal}` };
}

/** Why this host does not take the agent, in words. */
export function whyNot(
  { id, rehearsed }: Pick<AgentToPlace, "id" | "rehearsed">,
  { name, says }: Pick<Candidate, "name" | "says">,
): string | undefined {
  if (says.agents && !says.agents.includes(id))
    return `the host ${name} takes only ${says.agents.join(", ")}`;
  if (rehearsed && !says.rehearsed)
    return `the team is rehearsed, and the host ${name} joined without --rehearsal`;
  if (!rehearsed && says.rehearsed)
    return `the host ${name} joined with --rehearsal, and the team is not rehearsed`;
  return undefined;
}

const hasLabels = ({ labels }: HostSays, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);

const words = (placement: Placement): string =>
  "host" in placement
    ? placement.host
    : Object.entries(placement.labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(", ");
