import { randomUUID } from "node:crypto";
import type { Clock } from "../../time/clock.ts";
import type { AppendFacts, AppendOutcome, AppendState } from "./append-state.ts";
import { firstAppendState, nextAppendState } from "./append-state.ts";
import type { EntryDraft, Entry, Head } from "./entry.ts";
import { beginningOf, chainAfter, headAfter } from "./entry.ts";
import type { EntryStream, LookOutcome } from "./entry-stream.ts";
import type { TakeOverFacts, TakeOverOutcome, TakeOverState } from "./take-over-state.ts";
import { firstTakeOverState, nextTakeOverState } from "./take-over-state.ts";

export interface ChangelogOptions {
  /** The version of the tables whose effects are written. */
  schema: number;
  clock: Clock;
  /** How long an outcome is looked for before it is called unknown. */
  patienceMs: number;
  /** Who writes, for readers of the log: it decides nothing. */
  writer: string;
}

/** How the append of a whole batch ended. */
export type BatchOutcome =
  | { kind: "written"; batch: string }
  | Exclude<AppendOutcome, { kind: "written" }>;

/**
 * What one process knows of a team's changelog, and the rules by which it writes. The log alone decides who may write: an
 * append expects the number of the last entry, so an office that another one has followed can write nothing more.
 */
export class Changelog {
  readonly #stream: EntryStream;
  readonly #options: ChangelogOptions;
  #head: Head;
  /** The newest office entry that was read or written. */
  #office: { seq: number; epoch: number } = { seq: 0, epoch: 0 };

  constructor(stream: EntryStream, options: ChangelogOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#head = beginningOf(stream.logId);
  }

  get head(): Head {
    return this.#head;
  }

  get office(): { seq: number; epoch: number } {
    return this.#office;
  }

  get logId(): string {
    return this.#stream.logId;
  }

  /** Continues from what a replica has. */
  goTo(head: Head, office: { seq: number; epoch: number }): void {
    this.#head = head;
    this.#office = office;
  }

  /** An entry was read, which must be the next. */
  pass(entry: Entry): void {
    this.#head = headAfter(this.#head, entry);
    if (entry.kind === "office") this.#office = { seq: entry.seq, epoch: entry.epoch };
  }

  look(seq: number): Promise<LookOutcome> {
    return this.#stream.look(seq);
  }

  newestOffice(): Promise<LookOutcome> {
    return this.#stream.newestOffice();
  }

  approximateEnd(): Promise<number> {
    return this.#stream.approximateEnd();
  }

  read(upTo: number): AsyncIterable<Entry> {
    return this.#stream.read(this.#head.seq, upTo);
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  /** Writes one batch behind the head, in as many entries as it needs. Never fails: see the outcomes. */
  async append(data: Uint8Array): Promise<BatchOutcome> {
    const { maxDataBytes } = this.#stream;
    const parts = Math.max(1, Math.ceil(data.length / maxDataBytes));
    const batch = randomUUID();
    for (let part = 1; part <= parts; part += 1) {
      const slice = data.subarray((part - 1) * maxDataBytes, part * maxDataBytes);
      const draft = this.#draft({ kind: "batch", batch, part, parts, data: slice });
      const outcome = await this.#appendOne(draft);
      if (outcome.kind !== "written") return outcome;
      this.pass({ ...draft, seq: outcome.seq });
    }
    return { kind: "written", batch };
  }

  /**
   * Becomes the office. When it has: all entries up to the one of the outcome must be read, and count; the office before
   * can write nothing behind it.
   *
   * @param leavesFor where the team is stored from now on, if this is to be the last office.
   */
  async takeOver(leavesFor?: string): Promise<TakeOverOutcome> {
    const batch = randomUUID();
    const facts: TakeOverFacts = { batch, known: this.#office };
    const isPatienceOver = this.#patience();
    let state: TakeOverState = firstTakeOverState;
    while (state.kind !== "ended") {
      if (state.kind === "looking") {
        const outcome = await this.#stream.newestOffice();
        state = nextTakeOverState(state, { kind: "looked", outcome }, facts);
      } else if (state.kind === "publishing") {
        const { epoch, lastOfficeSeq } = state;
        const left = leavesFor === undefined ? {} : { left_for: leavesFor };
        const says = { epoch, writer: this.#options.writer, ...left };
        const data = Buffer.from(JSON.stringify(says));
        const draft = this.#draft({ kind: "office", batch, part: 1, parts: 1, data });
        const outcome = await this.#stream.publish({ ...draft, epoch }, { lastOfficeSeq });
        state = nextTakeOverState(state, { kind: "published", outcome }, facts);
      } else {
        await this.#pause(state.pauseMs);
        const event = { kind: "paused", isPatienceOver: isPatienceOver() } as const;
        state = nextTakeOverState(state, event, facts);
      }
    }
    return state.outcome;
  }

  async #appendOne(draft: EntryDraft): Promise<AppendOutcome> {
    const last = this.#head.seq;
    const { epoch } = this.#office;
    const isOwnEpoch = (entry: Entry) => entry.kind === "batch" && entry.epoch === epoch;
    const facts: AppendFacts = { draft, last, isOwnEpoch };
    const isPatienceOver = this.#patience();
    let state: AppendState = firstAppendState;
    while (state.kind !== "ended") {
      if (state.kind === "publishing") {
        const outcome = await this.#stream.publish(draft, { lastSeq: last });
        state = nextAppendState(state, { kind: "published", outcome }, facts);
      } else if (state.kind === "looking") {
        const outcome = await this.#stream.look(last + 1);
        state = nextAppendState(state, { kind: "looked", outcome }, facts);
      } else {
        await this.#pause(state.pauseMs);
        const event = { kind: "paused", isPatienceOver: isPatienceOver() } as const;
        state = nextAppendState(state, event, facts);
      }
    }
    return state.outcome;
  }

  #draft(facts: Pick<EntryDraft, "kind" | "batch" | "part" | "parts" | "data">): EntryDraft {
    const { schema } = this.#options;
    const draft = { ...facts, logId: this.logId, epoch: this.#office.epoch, schema };
    const isBatch = facts.kind === "batch";
    return { ...draft, chain: isBatch ? chainAfter(this.#head.chain, draft) : undefined };
  }

  #patience(): () => boolean {
    const { clock, patienceMs } = this.#options;
    const startMs = clock.steadyMs();
    return () => clock.steadyMs() - startMs > patienceMs;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(ms, resolve));
  }
}
