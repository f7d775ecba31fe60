import { batch, effect, signal, untracked } from "@preact/signals";
import type { Choices, Conversation, SessionItem } from "agent-switchboard/client/core";
import { emptyConversation, fold, SessionClient } from "agent-switchboard/client/core";
import type { AgentState, SessionEvent } from "agent-switchboard/wire";
import type { LinkState } from "../link/link-state.ts";
import { linkStateOf } from "../link/link-state.ts";
import { connectToSession } from "../link/open-links.ts";
import { Pulse } from "../link/pulse.ts";
import { Frames } from "./frames.ts";
import { conversationAgain, conversationNow, conversationOfAsleep } from "./talk-begin.ts";
import { mayPass } from "./may-pass.ts";
import { newestPage, TalkHistory } from "./talk-history.ts";
import type { TalkSource } from "./talk-source.ts";
import { sourceOfSession, sourceOfTeam } from "./talk-source.ts";
import { splitOld } from "./talk-trim.ts";
import type { TeamState } from "./team-state.ts";
import { ThinkingTimes } from "./thinking-times.ts";

/** How a talk is reached now. */
export type TalkLife =
  | { readonly kind: "opening" }
  | { readonly kind: "live" }
  /** The agent has no process: what is shown is its log, which the team reads. */
  | { readonly kind: "asleep" }
  | { readonly kind: "failed"; readonly error: unknown };

export interface TalkPlace {
  /** Who the page's person is, for records of who decided and who wrote. */
  readonly name?: string;
  readonly agent?: string;
  readonly team?: TeamState;
}

const asleep: ReadonlySet<AgentState> = new Set(["hibernated", "quarantined", "stopped"]);
const TRY_AGAIN_MS = 1000;

/** One session as the page knows it: its newest part folded once a frame, its older parts read when they are wanted. */
export class TalkState {
  readonly conversation = signal<Conversation>(emptyConversation);
  readonly link = signal<LinkState>({ kind: "connecting" });
  readonly life = signal<TalkLife>({ kind: "opening" });
  readonly choices = signal<Choices>({});
  /** The directory that the session works in; empty until it has said so. */
  readonly cwd = signal("");
  /** The model is a rehearsed script. */
  readonly isRehearsed = signal(false);
  readonly history = new TalkHistory(() => this.source);
  readonly thinkingTimes = new ThinkingTimes();
  /** The name of the agent; undefined for the one session that a gateway without a team serves. */
  readonly agent: string | undefined;
  /** Of an agent: its team. */
  readonly team: TeamState | undefined;
  readonly #frames = new Frames<SessionItem>((items) => this.#take(items));
  readonly #end = new AbortController();
  readonly #name: string | undefined;
  #key = "";
  readonly #pulse = new Pulse();
  #stopPulse: () => void = () => undefined;
  #client: SessionClient | undefined;
  #source: TalkSource | undefined;
  #logId: string | undefined;
  #wantsAsleep: boolean | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor({ name, agent, team }: TalkPlace = {}) {
    this.#name = name;
    this.agent = agent;
    this.team = team;
  }

  /** Resolves when the newest turns are there. @throws when the gateway refuses the page for good. */
  async open(key: string): Promise<void> {
    this.#key = key;
    document.addEventListener("visibilitychange", this.#visibilityChanged);
    if (this.agent === undefined || !this.team) {
      this.#turnTo(false);
      return this.#work;
    }
    const { agent, team } = this;
    const stop = effect(() => {
      const agents = team.agents.value;
      const state = agents.find(({ id }) => id === agent)?.state;
      // An agent that has left the team has a log all the same.
      if (agents.length > 0)
        untracked(() => this.#turnTo(state === undefined || asleep.has(state)));
    });
    this.#end.signal.addEventListener("abort", stop);
    return this.#work;
  }

  /** @throws while the first connection is not there. */
  get client(): SessionClient {
    if (this.#client === undefined) throw new Error("The page has no connection yet.");
    return this.#client;
  }

  /** @throws before the talk is open. */
  get source(): TalkSource {
    if (this.#source === undefined) throw new Error("The talk is not open yet.");
    return this.#source;
  }

  /** One event as the log has it, when it is still there. */
  async event(seq: number): Promise<SessionEvent | undefined> {
    const { events } = await this.source.history({ before: seq + 1, limit: 1 });
    return events.find((event) => event.seq === seq);
  }

  async close(): Promise<void> {
    this.#end.abort();
    document.removeEventListener("visibilitychange", this.#visibilityChanged);
    this.#stopPulse();
    await this.#client?.close();
  }

  readonly #visibilityChanged = (): void => this.#frames.visibilityChanged();

  #turnTo(isAsleep: boolean): void {
    if (this.#wantsAsleep === isAsleep) return;
    this.#wantsAsleep = isAsleep;
    this.#work = this.#work
      .then(() => (isAsleep ? this.#openAsleep() : this.#openAgain()))
      .catch((error: unknown) => {
        this.life.value = { kind: "failed", error };
      });
  }

  #comeBack(left: SessionClient): void {
    const isWanted = this.#wantsAsleep === false && !this.#end.signal.aborted;
    if (isWanted && left === this.#client) this.#begin();
  }

  #begin(): void {
    this.#wantsAsleep = undefined;
    this.#turnTo(false);
  }

  /** A session that starts has no socket yet. */
  async #openAgain(): Promise<void> {
    while (this.#wantsAsleep === false && !this.#end.signal.aborted) {
      try {
        return await this.#openLive();
      } catch (error) {
        if (!mayPass(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
      }
    }
  }

  async #openLive(): Promise<void> {
    await this.#client?.close();
    this.#frames.flush();
    const known = this.#known();
    const client = await SessionClient.open(
      connectToSession(this.#key, this.agent, this.#pulse),
      {
        ...(known ?? { since: "latest" }),
        ...(this.#name !== undefined && { name: this.#name }),
        onConnection: (change) => (this.link.value = linkStateOf(change)),
        onChoices: (choices) => (this.choices.value = choices),
      },
      this.#end.signal,
    );
    const { init } = client;
    this.#client = client;
    this.#stopPulse();
    this.#stopPulse = this.#pulse.watch(() => client.ping());
    this.#source = sourceOfSession(client);
    this.choices.value = client.choices;
    this.isRehearsed.value = init.rehearsal;
    this.cwd.value = init.cwd;
    this.#logId = init.log_id;
    if (known) this.conversation.value = conversationAgain(this.conversation.value, init);
    else await this.#fill((page) => conversationNow(page, init), init.last_seq + 1);
    this.life.value = { kind: "live" };
    if (this.#end.signal.aborted) await client.close();
    else void this.#read(client);
  }

  /** What the page has of the log stays, so that nothing moves under the eyes of the person. */
  #known(): { since: number; logId: string } | undefined {
    const { seq } = this.conversation.value;
    return this.#logId === undefined || seq === 0 ? undefined : { since: seq, logId: this.#logId };
  }

  async #fill(
    begin: (page: Conversation) => Conversation,
    before: number | undefined,
  ): Promise<void> {
    const { page, more } = await newestPage(this.source, before);
    batch(() => {
      this.conversation.value = begin(page.conversation);
      this.history.begin(page.firstSeq, more);
    });
  }

  async #openAsleep(): Promise<void> {
    const { team, agent = "" } = this;
    if (!team) return;
    await this.#client?.close();
    this.#client = undefined;
    this.#stopPulse();
    this.#frames.flush();
    this.#source = sourceOfTeam(team.client, agent);
    const { events, log_id: logId } = await this.#source.history({ limit: 1 });
    const { seq } = this.conversation.value;
    const isWhole = logId === this.#logId && (events.at(-1)?.seq ?? 0) <= seq;
    this.#logId = logId;
    if (isWhole) this.conversation.value = conversationOfAsleep(this.conversation.value);
    else await this.#fill(conversationOfAsleep, undefined);
    this.link.value = { kind: "live" };
    this.life.value = { kind: "asleep" };
  }

  /** A browser cannot slow a WebSocket down: nothing here waits for the drawing. */
  async #read(client: SessionClient): Promise<void> {
    try {
      for await (const item of client.events()) {
        if (client === this.#client) this.#frames.add(item);
      }
    } catch {
      // The link's state tells it.
    }
    // A person may have restarted the agent: its next process has the same log.
    if (this.team) setTimeout(() => this.#comeBack(client), TRY_AGAIN_MS);
  }

  #take(items: readonly SessionItem[]): void {
    this.thinkingTimes.note(items, performance.now());
    if (items.some(({ type }) => type === "reset")) {
      // The log is another one.
      this.#logId = undefined;
      return this.#begin();
    }
    const folded = fold(this.conversation.value, items);
    const split = splitOld(folded);
    batch(() => {
      if (split) this.history.append(split.old);
      this.conversation.value = split?.live ?? folded;
    });
  }
}
