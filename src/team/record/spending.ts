import type { Records } from "../../bus/records.ts";
import type { Spent } from "../rules/check-budget.ts";

const SPENT = "spent";
const nothing: Spent = { usd: 0, tokens: 0, turns: 0 };

/** Whose account it is: the whole team's, an agent's, or that of a task with all its parts. */
export const accounts = {
  team: "team",
  agent: (id: string): string => `agent:${id}`,
  task: (id: string): string => `task:${id}`,
};

/** What turns have cost. A turn counts once, however often it is added. */
export class Spending {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  /** @param turn unique for ever. */
  async add(turn: string, accountKeys: readonly string[], amount: Spent): Promise<void> {
    const amounts = { ...amount };
    const writes = accountKeys.map(
      (key) => ({ kind: "add", collection: SPENT, key, amounts }) as const,
    );
    await this.#records.write(writes, { once: `turn:${turn}` });
  }

  async of(account: string): Promise<Spent> {
    const row = await this.#records.get(SPENT, account);
    return { ...nothing, ...(row?.value as Partial<Spent> | undefined) };
  }
}
