import { pause } from "../time/abortable-waits.ts";
import type { BackOff } from "../time/back-off.ts";
import { backOffMs } from "../time/back-off.ts";
import type { Clock } from "../time/clock.ts";
import { systemClock } from "../time/clock.ts";
import { ClaudeCodeError, errorOf } from "../wire/errors.ts";
import type { LedgerEntry, IfUnsure, Ledger, LedgerStep } from "./ledger.ts";
import { emptyLedger, nextEntry, stepLedger } from "./ledger.ts";
import { readLedger, writeLedger } from "./ledger-file.ts";
import type { News, NewsKind } from "./news.ts";
import type { Heard, Source } from "./source.ts";
import type { Sink, ToldNews } from "./told-news.ts";

/** What the notifier says of its own work. */
export type Report =
  | { readonly type: "told"; readonly news: ToldNews }
  | { readonly type: "retry"; readonly news: News; readonly why: string; readonly inMs: number }
  | { readonly type: "refused" | "skipped"; readonly news: News; readonly why: string }
  | { readonly type: "waits"; readonly why: string };

export interface NotifierOptions {
  readonly source: Source;
  readonly sink: Sink;
  /** Where it keeps what it has told. One notifier at a time may have it. */
  readonly ledgerFile: string;
  /** A link to the page at a call, or at the page's beginning; undefined when no page is served. */
  readonly linkTo: (news: News) => Promise<string | undefined>;
  readonly report: (report: Report) => void;
  /** Ends as soon as everything that can be told now is told. */
  readonly once?: boolean;
  readonly ifUnsure?: IfUnsure;
  /** What to tell; everything by default. */
  readonly kinds?: readonly NewsKind[] | undefined;
  /** How long a call must have waited: one that is decided at once is not told. */
  readonly settleMs?: number;
  /** How often the same news are tried before the notifier gives up. */
  readonly tries?: number;
  readonly backOff?: BackOff;
  readonly clock?: Clock;
}

const SETTLE_MS = 1_000;
const TRIES = 12;
const BACK_OFF: BackOff = { firstDelayMs: 1_000, maxDelayMs: 300_000, factor: 2 };
const ABSENT_MS = 1_000;

/** Tells a person what they have to know of a team or a session, each thing once, over all restarts. */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  /** When calls were first heard of, if that was as they happened. The others have waited for longer. */
  readonly #heardAt = new Map<string, number>();
  #ledger: Ledger = emptyLedger;
  #isLive = false;
  #isAbsent = false;
  #failure: unknown;
  #isEnded = false;
  #refused = 0;
  #wake = (): void => {};

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Runs until the signal is aborted, the session has ended, or `once` is done.
   *
   * @throws `notify_failed` when the news are not taken; what is untold stays so, and the next start tells it. `log_write_failed`
   *   and `log_damaged` of the ledger. What `source.read` throws.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { ledgerFile, ifUnsure = "again" } = this.#options;
    const stop = (): void => this.#stop.abort();
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    this.#ledger = readLedger(ledgerFile) ?? emptyLedger;
    this.#save({ type: "taken_up", ifUnsure });
    const reading = this.#read();
    const telling = this.#tellAll();
    try {
      // Whichever fails first ends the other.
      await Promise.race([Promise.all([reading, telling]), telling]);
    } finally {
      stop();
      signal.removeEventListener("abort", stop);
      await Promise.allSettled([reading, telling]);
    }
    this.#keep();
    await reading;
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#refused > 0) throw refusedSome(this.#refused);
  }

  /** Reads until nothing more will happen. Then what is left to tell is told, and the notifier ends. */
  async #read(): Promise<void> {
    const { source, once = false, report } = this.#options;
    const { signal } = this.#stop;
    try {
      while (!signal.aborted) {
        try {
          await source.read(this.#ledger.place, (heard) => this.#hear(heard), signal);
          return;
        } catch (error) {
          if (signal.aborted) return;
          if (once || !isAbsence(error)) throw error;
          if (!this.#isAbsent) report({ type: "waits", why: error.message });
          this.#isAbsent = true;
          await pause(ABSENT_MS, signal, this.#clock);
        }
      }
    } catch (error) {
      this.#stop.abort();
      throw error;
    } finally {
      this.#isEnded = true;
      this.#wake();
    }
  }

  #hear(heard: Heard): void {
    if (this.#stop.signal.aborted) return;
    try {
      this.#take(heard);
    } catch (error) {
      // The listener of a connection must not throw.
      this.#failure = error;
      this.#stop.abort();
    }
    this.#wake();
  }

  #take(heard: Heard): void {
    if (heard.type === "live") {
      this.#isLive = heard.isLive;
      if (heard.isLive) this.#isAbsent = false;
    } else {
      const before = this.#ledger;
      this.#ledger = stepLedger(before, this.#wanted(heard));
      // Events that change nothing else are read again after a crash.
      if (heard.type === "began" || this.#ledger.entries !== before.entries) this.#keep();
      for (const { news } of this.#ledger.entries) {
        if (this.#isLive && !this.#heardAt.has(news.id)) {
          this.#heardAt.set(news.id, this.#clock.steadyMs());
        }
      }
    }
  }

  /** Without the news that nobody wants. */
  #wanted(heard: Exclude<Heard, { type: "live" }>): Exclude<Heard, { type: "live" }> {
    const { kinds } = this.#options;
    const isWanted = ({ kind }: News): boolean => kinds?.includes(kind) ?? true;
    if (heard.type === "began") return { ...heard, open: heard.open.filter(isWanted) };
    const { fact, ...rest } = heard;
    return fact !== undefined && "news" in fact && !isWanted(fact.news) ? rest : heard;
  }

  async #tellAll(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const entry = nextEntry(this.#ledger, (each) => this.#mayTell(each));
      if (entry) await this.#tell(entry);
      else if (this.#isDone()) this.#stop.abort();
      else await this.#untilChange();
    }
  }

  #mayTell({ news }: LedgerEntry): boolean {
    const { once = false, settleMs = SETTLE_MS } = this.#options;
    // What has ended has ended. What waits is known only to one who has heard everything.
    if (news.kind !== "asked") return true;
    const waitedMs = this.#clock.steadyMs() - (this.#heardAt.get(news.id) ?? -Infinity);
    return this.#isLive && (once || waitedMs >= settleMs);
  }

  #isDone(): boolean {
    return this.#isEnded || (this.#options.once === true && this.#isLive);
  }

  /** Until something was heard, or a call may have waited long enough. */
  async #untilChange(): Promise<void> {
    const { settleMs = SETTLE_MS } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const { signal } = this.#stop;
    const stop = (): void => resolve();
    signal.addEventListener("abort", stop);
    const waits = this.#ledger.entries.map(({ news }) => {
      const sinceMs = this.#clock.steadyMs() - (this.#heardAt.get(news.id) ?? -Infinity);
      // Time passes between this look and the one before it: none is left, and yet it was not told.
      return Math.max(settleMs - sinceMs, 1);
    });
    const hasCalls = this.#isLive && waits.length > 0;
    const cancel = hasCalls ? this.#clock.after(Math.min(...waits), resolve) : () => {};
    if (signal.aborted) resolve();
    await promise;
    cancel();
    signal.removeEventListener("abort", stop);
  }

  /** Tries until the news are told, refused, or no longer to be told. @throws `notify_failed`. */
  async #tell({ news, stage }: LedgerEntry): Promise<void> {
    const { sink, linkTo, report, ifUnsure } = this.#options;
    const { tries = TRIES, backOff = BACK_OFF } = this.#options;
    const { signal } = this.#stop;
    let repeated = stage === "unsure";
    for (let tried = 1; ; tried += 1) {
      const link = await linkTo(news).catch(() => undefined);
      // It may have been decided while the link was made.
      if (!this.#isStillToTell(news.id)) return;
      const told = { ...news, repeated, ...(link !== undefined && { link }) };
      this.#save({ type: "sending", id: news.id });
      const delivery = await sink.deliver(told, signal);
      // We are ended in the middle of it: the next process finds out that nobody knows.
      if (signal.aborted && delivery.kind !== "told") return;
      if (delivery.kind === "told") {
        this.#save({ type: "told", id: news.id });
        return report({ type: "told", news: told });
      }
      if (delivery.kind === "refused") {
        this.#refused += 1;
        this.#save({ type: "told", id: news.id });
        return report({ type: "refused", news, why: delivery.why });
      }
      const mayHaveArrived = delivery.kind === "later" && delivery.mayHaveArrived;
      if (mayHaveArrived && ifUnsure === "skip") {
        this.#save({ type: "told", id: news.id });
        return report({ type: "skipped", news, why: delivery.why });
      }
      this.#save({ type: "failed", id: news.id, mayHaveArrived });
      repeated ||= mayHaveArrived;
      if (delivery.kind === "wrong" || tried >= tries) throw notTold(news, delivery.why, tried);
      const inMs = delivery.afterMs ?? backOffMs(tried, backOff);
      report({ type: "retry", news, why: delivery.why, inMs });
      await pause(inMs, signal, this.#clock);
      if (signal.aborted || !this.#isStillToTell(news.id)) return;
    }
  }

  #isStillToTell(id: string): boolean {
    return this.#ledger.entries.some(({ news }) => news.id === id);
  }

  #save(step: LedgerStep): void {
    this.#ledger = stepLedger(this.#ledger, step);
    this.#keep();
  }

  #keep(): void {
    writeLedger(this.#options.ledgerFile, this.#ledger);
  }
}

const isAbsence = (error: unknown): error is ClaudeCodeError =>
  error instanceof ClaudeCodeError &&
  ["team_not_running", "connection_failed", "connection_lost"].includes(error.code);

const notTold = ({ id, title }: News, why: string, tries: number) =>
  errorOf(
    "notify_failed",
    `Not told after ${tries} ${tries === 1 ? "try" : "tries"}: ${title}. ${why}`,
    {
      data: { id, tries },
    },
  );

const refusedSome = (count: number) =>
  errorOf("notify_failed", `${count} of the news were refused, and nobody was told of them.`, {
    hint: "Look at the lines about them above: --format may be another service's.",
  });
