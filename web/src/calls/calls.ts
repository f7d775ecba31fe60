import { batch, computed, effect, signal } from "@preact/signals";
import { isProgramError } from "../link/errors.ts";
import type { Call, Decision, Outcome } from "./call.ts";
import { Deadlines } from "./deadlines.ts";
import type { Decider } from "./decider.ts";

/** A call that has just left the list, for as long as it is worth telling. */
export interface GoneCall extends Call {
  readonly end: Outcome | undefined;
}

const MAX_GONE = 5;
const isOver: ReadonlySet<string> = new Set(["already_resolved", "unknown_request"]);

/** All calls of the page: what waits, until when, what was sent, and what has just ended. */
export class Calls {
  readonly decider: Decider;
  /** Known to be over, though no event has said so. */
  readonly #over = signal<ReadonlySet<string>>(new Set());
  readonly #deadlines = new Deadlines();
  readonly #deadlinesChanged = signal(0);
  #isAsking = false;

  /** The one that denies itself first comes first; those without a deadline last. */
  readonly waiting = computed(() => {
    const over = this.#over.value;
    const waiting = this.decider.waiting.value.filter((call) => !over.has(call.id));
    return byDeadline(waiting.filter(isForPerson));
  });

  /** Decisions on their way, by the id of the call. */
  readonly sent = signal<ReadonlyMap<string, Decision["kind"]>>(new Map());
  /** Newest first. */
  readonly gone = signal<readonly GoneCall[]>([]);

  constructor(decider: Decider) {
    this.decider = decider;
  }

  /** Undefined for a call without a deadline, and while the time that is left is not known. */
  endsAt(id: string): number | undefined {
    void this.#deadlinesChanged.value;
    return this.#deadlines.endsAt(id);
  }

  /**
   * Resolves when the host has the decision; the call leaves with its event. One that was decided elsewhere leaves too,
   * and that is no failure.
   *
   * @throws why the host refused it.
   */
  async decide(call: Call, decision: Decision): Promise<void> {
    const { id } = call;
    if (this.sent.value.has(id)) return;
    this.#mark(id, decision.kind);
    try {
      await this.decider.decide(id, decision);
    } catch (error) {
      this.#mark(id, undefined);
      if (!(await this.#leaves(call, error))) throw error;
    }
  }

  /** @throws as `decide` does. */
  async hold(call: Call, ms: number): Promise<void> {
    try {
      await this.decider.hold(call.id, ms);
    } catch (error) {
      if (!(await this.#leaves(call, error))) throw error;
    }
  }

  /** Follows the calls as long as the page is open. Returns what ends it. */
  watch(): () => void {
    let before: readonly Call[] = [];
    let wasCurrent = false;
    const stops = [
      effect(() => {
        const now = this.waiting.value;
        const left = before.filter(({ id }) => !now.some((call) => call.id === id));
        before = now;
        if (left.length > 0) queueMicrotask(() => this.#leave(left));
      }),
      effect(() => {
        const isCurrent = this.decider.isCaughtUp.value && this.decider.isConnected.value;
        // The first calls that the page sees may be as old as its log.
        const areNew = isCurrent && wasCurrent;
        wasCurrent = isCurrent;
        const hasGaps = this.#deadlines.look(this.waiting.value, performance.now(), areNew);
        queueMicrotask(() => (this.#deadlinesChanged.value += 1));
        if (hasGaps && isCurrent) queueMicrotask(() => void this.refresh());
      }),
      // What came while the page was away is old, and a machine that sleeps may stop the page's clock.
      effect(() => {
        if (this.decider.isConnected.value) queueMicrotask(() => void this.refresh());
      }),
    ];
    const look = (): void => {
      if (!document.hidden) void this.refresh();
    };
    document.addEventListener("visibilitychange", look);
    return () => {
      for (const stop of stops) stop();
      document.removeEventListener("visibilitychange", look);
    };
  }

  /** Asks the host what waits and how much time is left. Without an answer the page keeps what it has. */
  async refresh(): Promise<readonly Call[] | undefined> {
    if (this.#isAsking) return undefined;
    this.#isAsking = true;
    try {
      const calls = await this.decider.ask();
      this.#deadlines.learn(calls, performance.now());
      this.#deadlinesChanged.value += 1;
      return calls;
    } catch {
      // The connection's own state is shown elsewhere; the next one asks again.
      return undefined;
    } finally {
      this.#isAsking = false;
    }
  }

  #mark(id: string, kind: Decision["kind"] | undefined): void {
    const sent = new Map(this.sent.value);
    if (kind === undefined) sent.delete(id);
    else sent.set(id, kind);
    this.sent.value = sent;
  }

  /** True when the error says that the call is over. The host is asked once, in case no event says so. */
  async #leaves(call: Call, error: unknown): Promise<boolean> {
    if (!isProgramError(error) || !isOver.has(error.code)) return false;
    const waiting = await this.refresh();
    if (waiting?.some(({ id }) => id === call.id) === true) return false;
    const { outcome, by } = error.data ?? {};
    if (this.waiting.value.some(({ id }) => id === call.id)) {
      const end = typeof outcome === "string" ? { outcome, by: textOr(by) } : undefined;
      this.#told.set(call.id, end);
      this.#over.value = new Set(this.#over.value).add(call.id);
    }
    return true;
  }

  /** What an error said of the end of a call. */
  readonly #told = new Map<string, Outcome | undefined>();

  #leave(left: readonly Call[]): void {
    const news = left.map((call) => ({
      ...call,
      end: this.decider.outcomeOf(call.id) ?? this.#told.get(call.id),
    }));
    const ids = new Set(left.map(({ id }) => id));
    batch(() => {
      this.gone.value = [...news, ...this.gone.value].slice(0, MAX_GONE);
      this.sent.value = new Map([...this.sent.value].filter(([id]) => !ids.has(id)));
    });
    const waiting = new Set(this.decider.waiting.value.map(({ id }) => id));
    for (const id of this.#told.keys()) if (!waiting.has(id)) this.#told.delete(id);
  }
}

/** A rule of the policy decides some requests; their end follows at once. */
const isForPerson = ({ request }: Call): boolean =>
  request.type !== "approval_request" || (request.policy?.action ?? "ask") === "ask";

const textOr = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

const deadlineOf = ({ request }: Call): string =>
  request.type === "notice" ? LATEST : (request.deadline ?? LATEST);

/** Later than every date. */
const LATEST = "\uFFFF";

/** All deadlines come from clocks of the host, in UTC: their texts are in the order of time. */
function byDeadline(calls: readonly Call[]): readonly Call[] {
  return calls.toSorted((one, other) => {
    const [first, second] = [deadlineOf(one), deadlineOf(other)];
    if (first === second) return 0;
    return first < second ? -1 : 1;
  });
}
