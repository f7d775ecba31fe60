import { pagesOf } from "../../../bus/read-all-pages.ts";
import type { Records } from "../../../bus/records.ts";
import type { AgentId } from "../../../wire/team/messages.ts";

/** The host that an agent was given to. The term is raised when it is given to another one. */
export interface Assignment {
  readonly host: string;
  readonly term: number;
  /** The conversation that was copied there from the host before. */
  readonly brought?: string;
  /** Why there is none: the agent begins a new one. */
  readonly lost?: string;
}

const ASSIGNMENTS = "assignments";

/** Which host has which agent. Stored among the records of the team before any host hears of it. */
export class Assignments {
  readonly #known = new Map<AgentId, Assignment>();
  #records: Records | undefined;
  #epoch: number | undefined;

  /** That of the office in the team's log; undefined until the records have been read. */
  get epoch(): number | undefined {
    return this.#epoch;
  }

  async load(records: Records, epoch: number): Promise<void> {
    for await (const rows of pagesOf((from) =>
      records.query({ collection: ASSIGNMENTS, ...from }),
    )) {
      for (const { key, value } of rows) {
        const { host, term, brought, lost } = value;
        if (typeof host !== "string" || typeof term !== "number") continue;
        this.#known.set(key, {
          host,
          term,
          ...(typeof brought === "string" && { brought }),
          ...(typeof lost === "string" && { lost }),
        });
      }
    }
    this.#records = records;
    this.#epoch = epoch;
  }

  of(agent: AgentId): Assignment | undefined {
    return this.#known.get(agent);
  }

  /** The agents of a host, with their terms. */
  at(host: string): Record<AgentId, number> {
    const own = [...this.#known].filter(([, assignment]) => assignment.host === host);
    return Object.fromEntries(own.map(([agent, { term }]) => [agent, term]));
  }

  /** @param conversation what has become of it on the way from the host before. */
  async assign(
    agent: AgentId,
    host: string,
    conversation: Pick<Assignment, "brought" | "lost"> = {},
  ): Promise<Assignment> {
    const known = this.#known.get(agent);
    if (known?.host === host) return known;
    const assignment = { host, term: (known?.term ?? 0) + 1, ...conversation };
    await this.#records?.write([
      { kind: "put", collection: ASSIGNMENTS, key: agent, value: assignment },
    ]);
    this.#known.set(agent, assignment);
    return assignment;
  }

  /** Agents that the team does not have are nobody's. */
  keepOnly(isThere: (agent: AgentId) => boolean): void {
    for (const agent of this.#known.keys()) if (!isThere(agent)) this.#known.delete(agent);
  }
}
