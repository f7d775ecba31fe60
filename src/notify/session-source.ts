import type { ClientOptions, SessionClient, SessionItem } from "../client/core.ts";
import { isDecidedByPolicy } from "../client/core.ts";
import type { PendingRequest } from "../wire/session/approval-events.ts";
import type { SessionEvent } from "../wire/session/events.ts";
import type { StopReason } from "../wire/session/turn-events.ts";
import type { NewsFact, Place } from "./ledger.ts";
import type { Origin } from "./news.ts";
import { callId, newsOfCall, newsOfEnd } from "./news.ts";
import type { Heard, Source } from "./source.ts";
import { CatchUp } from "./source.ts";

export type OpenSession = (options: ClientOptions, signal: AbortSignal) => Promise<SessionClient>;

/** What people are told of a session: what it asks, and how its turns ended. */
export class SessionSource implements Source {
  readonly #open: OpenSession;
  readonly #name: string;

  /** @param name of the session, for people. */
  constructor(open: OpenSession, name: string) {
    this.#open = open;
    this.#name = name;
  }

  async read(
    after: Place | undefined,
    hear: (heard: Heard) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const catchUp = new CatchUp((isLive) => hear({ type: "live", isLive }));
    const from =
      after === undefined
        ? { since: "latest" as const }
        : {
            since: after.seq,
            logId: after.log_id,
            ...(after.epoch !== undefined && { epoch: after.epoch }),
          };
    const session = await this.#open(
      {
        ...from,
        name: "notify",
        onConnection: (state) => {
          if (state.state === "connected") catchUp.connected(state.init.last_seq);
          else catchUp.lost();
        },
      },
      signal,
    );
    const end = (): void => void session.close();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    try {
      const origin = { where: this.#name, key: `session ${session.init.log_id}` };
      if (after === undefined) {
        const { pending, log_id, epoch, last_seq } = session.init;
        const at = new Date().toISOString();
        const open = pending
          .filter((request) => !isDecidedByPolicy(request))
          .map((request) => newsOfCall(origin, this.#name, request, at));
        hear({ type: "began", place: { log_id, epoch, seq: last_seq }, open });
        catchUp.at(last_seq);
      } else catchUp.at(after.seq);
      const reader = new TurnReader(origin, this.#name);
      for await (const item of session.events()) {
        const { since, logId: log_id, epoch } = session.place;
        const place = { log_id, epoch, seq: since };
        if (item.type === "reset") {
          hear({ type: "began", place, open: [] });
          continue;
        }
        hear({ type: "happened", place, fact: reader.factOf(item) });
        catchUp.at(item.seq);
      }
    } finally {
      signal.removeEventListener("abort", end);
      catchUp.close();
      await session.close();
    }
  }
}

const requestTypes: ReadonlySet<string> = new Set([
  "approval_request",
  "question",
  "plan",
  "elicitation",
]);

const isRequest = (item: SessionEvent): item is SessionEvent & PendingRequest =>
  requestTypes.has(item.type) || (item.type === "notice" && item.request_id !== undefined);

/** A person ended these turns, and knows of it. */
const ownEnds: ReadonlySet<StopReason> = new Set(["aborted", "interrupted", "denied"]);

const MAX_WORDS = 65_536;

/** Makes facts of a session's events. It keeps the newest text of the model, for the end of the turn. */
class TurnReader {
  readonly #origin: Origin;
  readonly #name: string;
  #words = "";
  #block = -1;
  /** A turn that a usage limit has ended, and with which the session goes on by itself. */
  #goesOn: string | undefined;

  constructor(origin: Origin, name: string) {
    this.#origin = origin;
    this.#name = name;
  }

  factOf(event: Exclude<SessionItem, { type: "reset" }>): NewsFact | undefined {
    if (isRequest(event)) return this.#asked(event);
    switch (event.type) {
      case "turn_started":
        [this.#words, this.#block] = ["", -1];
        return undefined;
      case "text_delta":
        // Subagents speak to the model, not to the person.
        if ("parent" in event && event.parent !== undefined) return undefined;
        if (event.block !== this.#block) [this.#words, this.#block] = ["", event.block];
        if (this.#words.length < MAX_WORDS) this.#words += event.text;
        return undefined;
      case "approval_resolved":
        return { kind: "decided", id: callId(this.#origin, this.#name, event.request_id) };
      case "continuation_planned":
        this.#goesOn = event.turn_id;
        return undefined;
      case "done": {
        const { stop_reason: reason, turn_id: id, at } = event;
        if (ownEnds.has(reason) || id === this.#goesOn) return undefined;
        const isGood = reason === "completed";
        const why = isGood ? "" : `The turn ended: ${reason}.\n`;
        const end = { id, agent: this.#name, isGood, text: why + this.#words, at };
        return { kind: "ended", news: newsOfEnd(this.#origin, end) };
      }
      default:
        return undefined;
    }
  }

  #asked(request: SessionEvent & PendingRequest): NewsFact | undefined {
    if (isDecidedByPolicy(request)) return undefined;
    const news = newsOfCall(this.#origin, this.#name, request, request.at);
    const replaced = "replaces" in request ? request.replaces : undefined;
    const replaces =
      replaced === undefined ? undefined : callId(this.#origin, this.#name, replaced);
    return { kind: "asked", news, replaces };
  }
}
