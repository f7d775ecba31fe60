import { pagesOf } from "../../../bus/read-all-pages.ts";
import type { Records } from "../../../bus/records.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import type { Placement } from "../../file/team.ts";

/** A person wants an agent on this host. */
export interface Move {
  readonly host: string;
  /** Without waiting for a host that cannot be reached. */
  readonly force: boolean;
}

const MOVES = "moves";

/** Where people have moved agents to. It counts until the team file gives the agent another place. */
export class Moves {
  readonly #known = new Map<AgentId, Move & { readonly over: string }>();
  #records: Records | undefined;

  async load(records: Records): Promise<void> {
    for await (const rows of pagesOf((from) => records.query({ collection: MOVES, ...from }))) {
      for (const { key, value } of rows) {
        const { host, force, over } = value;
        if (typeof host === "string" && typeof over === "string")
          this.#known.set(key, { host, force: force === true, over });
      }
    }
    this.#records = records;
  }

  /** @param placement what the team file says now. */
  of(agent: AgentId, placement: Placement): Move | undefined {
    const move = this.#known.get(agent);
    return move?.over === JSON.stringify(placement) ? move : undefined;
  }

  async want(agent: AgentId, move: Move, placement: Placement): Promise<void> {
    const value = { ...move, over: JSON.stringify(placement) };
    await this.#records?.write([{ kind: "put", collection: MOVES, key: agent, value }]);
    this.#known.set(agent, value);
  }
}
