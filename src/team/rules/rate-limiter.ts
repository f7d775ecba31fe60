import type { Bus, Stored } from "../../bus/bus.ts";
import { pagesOf } from "../../bus/read-all-pages.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { Limits } from "../file/team-schema.ts";
import type { Refusal } from "./refusal.ts";

const WINDOW_MS = 60_000;
const PAGE = 200;

type RateLimits = Pick<Limits, "per_sender_per_minute" | "per_pair_per_minute">;

/** Counts the messages of the last minute, per sender and per pair. Only what was sent counts. */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #nowMs: () => number;
  readonly #sent = new Map<string, number[]>();

  /** @param nowMs a clock that never goes back. */
  constructor(limits: RateLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  check(from: AgentId, to: AgentId): Refusal {
    const { per_sender_per_minute: perSender, per_pair_per_minute: perPair } = this.#limits;
    return (
      this.#checkOne(senderKey(from), perSender, `${from} has sent`) ??
      this.#checkOne(pairKey(from, to), perPair, `${from} and ${to} have exchanged`)
    );
  }

  /** Takes back the count of a message that was not sent. */
  release(from: AgentId, to: AgentId): void {
    for (const key of [senderKey(from), pairKey(from, to)]) this.#sent.get(key)?.pop();
  }

  /** @param agoMs for what was sent before this process began, oldest first. */
  count(from: AgentId, to: AgentId, agoMs = 0): void {
    for (const key of [senderKey(from), pairKey(from, to)]) {
      this.#sent.set(key, [...this.#recent(key), this.#nowMs() - agoMs]);
    }
  }

  /** Counts the messages of the last minute, so that a restart lifts no limit. */
  async load(bus: Pick<Bus, "history">): Promise<void> {
    const sent: Stored[] = [];
    const newest = { order: "newest", limit: PAGE } as const;
    for await (const page of pagesOf((from) => bus.history({ ...newest, ...from }))) {
      const recent = page.filter(({ sentAt }) => agoOf(sentAt) < WINDOW_MS);
      sent.push(...recent);
      if (recent.length < page.length) break;
    }
    for (const { message, sentAt } of sent.toReversed()) {
      this.count(message.from_agent, message.to_agent, agoOf(sentAt));
    }
  }

  #checkOne(key: string, limit: number, who: string): Refusal {
    const recent = this.#recent(key);
    if (recent.length < limit) return undefined;
    const freeAtMs = (recent.at(-limit) ?? 0) + WINDOW_MS;
    const retryAfter = Math.max(1, Math.ceil((freeAtMs - this.#nowMs()) / 1000));
    return errorOf("rate_limited", `${who} ${recent.length} messages in the last minute.`, {
      data: { retry_after: retryAfter, limit, window_seconds: WINDOW_MS / 1000 },
      hint: `Wait ${retryAfter} s, then send again; or finish with what you have.`,
    });
  }

  #recent(key: string): number[] {
    const since = this.#nowMs() - WINDOW_MS;
    return (this.#sent.get(key) ?? []).filter((at) => at > since);
  }
}

/** The wall clock may have been set back since. */
const agoOf = (sentAt: number): number => Math.max(0, Date.now() - sentAt);

const senderKey = (from: AgentId): string => from;
/** Both directions are one pair. No agent's name contains a space. */
const pairKey = (from: AgentId, to: AgentId): string => [from, to].sort().join(" ");
