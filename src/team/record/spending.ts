import type { Records } from "../../bus/records.ts";
import type { Spent } from "../rules/budget.ts";

const SPENT = "spent";
const nothing: Spent = { usd: 0, tokens: 0, turns: 0 };

/** Whose money it is: of the whole team, of an agent, of a task with all its parts. */
export const purses = {
  team: "team",
  agent: (id: string): string => `agent:${id}`,
  task: (id: string): string => `task:${id}`,
};

/** What turns have cost. A turn counts once, however often it is told. */
export class Spending {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** @param turn unique for ever. */
  async add(turn: string, wallets: readonly string[], amount: Spent): Promise<void> {
    const amounts = { ...amount };
    const writes = wallets.map(
      (key) => ({ kind: "add", collection: SPENT, key, amounts }) as const,
    );
    await this.#records.write(writes, { once: `turn:${turn}` });
  }

  async of(purse: string): Promise<Spent> {
    const row = await this.#records.get(SPENT, purse);
    return { ...nothing, ...(row?.value as Partial<Spent> | undefined) };
  }
}
