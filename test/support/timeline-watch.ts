import { setTimeout as delay } from "node:timers/promises";
import type { TeamClient } from "../../src/team/core.ts";
import { connectTeamOnce } from "./connect-team.ts";
import type { TeamEvent } from "../../src/wire/team/events.ts";
import { Trail } from "./trail.ts";

const RETRY_MS = 20;

/** Follows a team's timeline through any number of its processes: attaches again where it was. */
export class TimelineWatch extends Trail<TeamEvent> {
  readonly #path: string;
  /** Events that were not the next one, and logs that were another's. */
  readonly wrong: string[] = [];
  readonly #over = new AbortController();
  readonly #following: Promise<void>;
  #logId: string | undefined;
  #client: TeamClient | undefined;

  constructor(path: string) {
    super();
    this.#path = path;
    this.#following = this.#follow();
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#client?.close();
    await this.#following;
  }

  async #follow(): Promise<void> {
    while (!this.#over.signal.aborted) {
      try {
        this.#client = await connectTeamOnce(this.#path);
        await this.#attach(this.#client);
        await this.#client.closed;
      } catch {
        // There is no team at the moment, or it has just ended.
      }
      await delay(RETRY_MS, undefined, { signal: this.#over.signal }).catch(() => {});
    }
  }

  async #attach(client: TeamClient): Promise<void> {
    const { log_id: logId } = client.init;
    this.#logId ??= logId;
    if (logId !== this.#logId) this.wrong.push(`${logId} is another log than ${this.#logId}`);
    await client.follow({ since: this.told.length }, (item) => {
      if ("seq" in item) this.#take(item);
    });
  }

  #take(event: TeamEvent): void {
    const known = this.told[event.seq - 1];
    if (known && JSON.stringify(known) !== JSON.stringify(event)) {
      this.wrong.push(`event ${event.seq} is another one now: ${JSON.stringify(event)}`);
    }
    if (event.seq === this.told.length + 1) this.add(event);
    else if (!known) this.wrong.push(`${event.seq} after ${this.told.length}`);
  }
}
