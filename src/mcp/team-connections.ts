import type { TeamClient } from "../team/core.ts";

/**
 * The connections of this face to its team: one for each MCP client, because records of who decided name the client. A
 * connection is made when it is first needed, and again when the team's process has ended for good.
 */
export class TeamConnections implements AsyncDisposable {
  readonly #open: (name: string) => Promise<TeamClient>;
  readonly #clients = new Map<string, Promise<TeamClient>>();

  /** @param open connects under a name. */
  constructor(open: (name: string) => Promise<TeamClient>) {
    this.#open = open;
  }

  /** @throws what `open` throws; the next call tries again. */
  of(name: string): Promise<TeamClient> {
    const known = this.#clients.get(name);
    if (known) return known;
    const opening = this.#open(name);
    this.#clients.set(name, opening);
    const forget = (): void => {
      if (this.#clients.get(name) === opening) this.#clients.delete(name);
    };
    watch(opening, forget).catch(forget);
    return opening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await Promise.allSettled(this.#clients.values());
    this.#clients.clear();
    for (const each of opened) if (each.status === "fulfilled") await each.value.close();
  }
}

async function watch(opening: Promise<TeamClient>, forget: () => void): Promise<void> {
  const team = await opening;
  // It does not come back by itself: the next call is told so at once.
  team.listen((item) => {
    if (item.type !== "team_stopping") return;
    forget();
    void team.close();
  });
  await team.closed;
  forget();
}
