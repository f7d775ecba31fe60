import { computed, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import type { AgentStatus, TeamEvent } from "agent-switchboard/wire";
import type { AgentView, ReadStatus, TeamItem } from "agent-switchboard/team/core";
import { TeamClient, TeamView } from "agent-switchboard/team/core";
import type { LinkState } from "../link/link-state.ts";
import { linkStateOf } from "../link/link-state.ts";
import { connectToTeam } from "../link/open-links.ts";
import { Pulse } from "../link/pulse.ts";
import { Frames } from "./frames.ts";
import { mayPass } from "./may-pass.ts";

/** How many of the newest events the page keeps; older ones come from the team, page by page. */
const KEPT_EVENTS = 5000;
const STATUS_MS = 1000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

/** One agent as the rail, the board and its papers show it. */
export interface AgentRow {
  readonly id: string;
  readonly status: AgentStatus;
  readonly view: AgentView | undefined;
  readonly state: AgentStatus["state"];
  /** The number of its cord colour, 1 to 8. */
  readonly cord: number;
  /** From the ninth agent on colours repeat, with a stripe. */
  readonly isStriped: boolean;
}

const CORDS = 8;

/**
 * A team as the page knows it: its timeline folded once a frame. `tick` changes with each fold; read it (or something
 * computed from it) in a component that shows the view.
 */
export class TeamState {
  readonly view = new TeamView();
  readonly tick = signal(0);
  readonly link = signal<LinkState>({ kind: "connecting" });
  /** What the team last said of itself. It is asked again, at most once a second, when events have come. */
  readonly status = signal<ReadStatus | undefined>(undefined);
  readonly agents: ReadonlySignal<readonly AgentRow[]> = computed(() => this.#agentRows());
  /** The newest events, oldest first. The array is the same one always: read `tick` beside it. */
  readonly events: TeamEvent[] = [];
  readonly #frames = new Frames<TeamItem>((items) => this.#take(items));
  readonly #listeners = new Set<(items: readonly TeamItem[]) => void>();
  readonly #end = new AbortController();
  readonly #pulse = new Pulse();
  #stopPulse: () => void = () => undefined;
  #client: TeamClient | undefined;
  #statusTimer: ReturnType<typeof setTimeout> | undefined;

  /** Resolves when the newest events have begun to come. @throws when the gateway refuses the page for good. */
  async open(key: string): Promise<void> {
    const client = await this.#connect(key);
    if (this.#end.signal.aborted) return client.close();
    this.#client = client;
    this.status.value = client.init;
    const { last_seq: last } = client.init;
    const since = Math.max(0, last - KEPT_EVENTS);
    await client.follow({ since }, (item) => this.#frames.add(item));
    if (since > 0) await this.#learnApprovals(client);
    document.addEventListener("visibilitychange", this.#visibilityChanged);
    this.#stopPulse = this.#pulse.watch(() => client.request("status", {}));
  }

  /** A client connects again by itself, once it was connected: until then this does. */
  async #connect(key: string): Promise<TeamClient> {
    for (let retryInMs = FIRST_RETRY_MS; ; retryInMs = Math.min(2 * retryInMs, MAX_RETRY_MS)) {
      try {
        return await TeamClient.open(connectToTeam(key, this.#pulse), {
          onConnection: (change) => {
            this.link.value = linkStateOf(change);
            if (change.state === "connected") this.status.value = change.init;
          },
        });
      } catch (error) {
        if (!mayPass(error) || this.#end.signal.aborted) throw error;
        this.link.value = { kind: "lost", retryInMs };
        await new Promise((resolve) => setTimeout(resolve, retryInMs));
      }
    }
  }

  /** @throws while the first connection is not there. */
  get client(): TeamClient {
    if (this.#client === undefined) throw new Error("The page has no connection to the team yet.");
    return this.#client;
  }

  /** Calls the listener with what each frame brings, before the view is drawn. Returns a function that ends it. */
  listen(listener: (items: readonly TeamItem[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async refreshStatus(): Promise<void> {
    this.status.value = await this.client.request("status", {});
  }

  async close(): Promise<void> {
    this.#end.abort();
    document.removeEventListener("visibilitychange", this.#visibilityChanged);
    this.#stopPulse();
    clearTimeout(this.#statusTimer);
    await this.#client?.close();
  }

  readonly #visibilityChanged = (): void => this.#frames.visibilityChanged();

  #take(items: readonly TeamItem[]): void {
    for (const item of items) {
      this.view.apply(item);
      if (item.type === "reset") this.events.length = 0;
      else if (item.type !== "delta") this.events.push(item);
    }
    const extra = this.events.length - KEPT_EVENTS;
    // In large steps, so that a full list is not moved with every frame.
    if (extra > KEPT_EVENTS / 10) this.events.splice(0, extra);
    for (const listener of this.#listeners) listener(items);
    this.tick.value += 1;
    if (items.some(({ type }) => type !== "delta")) this.#askStatusSoon();
  }

  #askStatusSoon(): void {
    this.#statusTimer ??= setTimeout(() => {
      this.#statusTimer = undefined;
      // Without a connection the next one brings the status.
      this.refreshStatus().catch(() => undefined);
    }, STATUS_MS);
  }

  /** Requests that were asked before the events that the page has. */
  async #learnApprovals(client: TeamClient): Promise<void> {
    const { approvals } = await client.request("approvals", {});
    this.#frames.flush();
    this.view.learnApprovals(approvals);
    this.tick.value += 1;
  }

  #agentRows(): readonly AgentRow[] {
    void this.tick.value;
    return (this.status.value?.agents ?? []).map((status, index) => {
      const view = this.view.agents.get(status.id);
      return {
        id: status.id,
        status,
        view,
        state: view?.state ?? status.state,
        cord: (index % CORDS) + 1,
        isStriped: index >= CORDS,
      };
    });
  }
}
