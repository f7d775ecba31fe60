import { signal } from "@preact/signals";
import type { Conversation, SessionItem } from "agent-switchboard/client/core";
import { emptyConversation, fold, SessionClient } from "agent-switchboard/client/core";
import type { LinkState } from "../link/link-state.ts";
import { linkStateOf } from "../link/link-state.ts";
import { connectToSession } from "../link/open-links.ts";
import { Frames } from "./frames.ts";

/** One session as the page knows it: its events folded once a frame. */
export class TalkState {
  readonly conversation = signal<Conversation>(emptyConversation);
  readonly link = signal<LinkState>({ kind: "connecting" });
  /** The name of the agent; undefined for the one session that a gateway without a team serves. */
  readonly agent: string | undefined;
  readonly #frames = new Frames<SessionItem>((items) => this.#take(items));
  #client: SessionClient | undefined;

  constructor(agent?: string) {
    this.agent = agent;
  }

  /** @throws when the gateway refuses the page for good: the agent is asleep, or unknown. */
  async open(key: string): Promise<void> {
    const client = await SessionClient.open(connectToSession(key, this.agent), {
      onConnection: (change) => (this.link.value = linkStateOf(change)),
    });
    this.#client = client;
    document.addEventListener("visibilitychange", this.#visibilityChanged);
    void this.#read(client);
  }

  /** @throws while the first connection is not there. */
  get client(): SessionClient {
    if (this.#client === undefined) throw new Error("The page has no connection yet.");
    return this.#client;
  }

  async close(): Promise<void> {
    document.removeEventListener("visibilitychange", this.#visibilityChanged);
    await this.#client?.close();
  }

  readonly #visibilityChanged = (): void => this.#frames.visibilityChanged();

  /** A browser cannot slow a WebSocket down: nothing here waits for the drawing. */
  async #read(client: SessionClient): Promise<void> {
    try {
      for await (const item of client.events()) this.#frames.add(item);
    } catch {
      // The link's state tells it.
    }
  }

  #take(items: readonly SessionItem[]): void {
    this.conversation.value = fold(this.conversation.value, items);
  }
}
