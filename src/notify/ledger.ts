import type { News } from "./news.ts";

/** The last event that the ledger knows of, and its log. */
export interface Place {
  readonly log_id: string;
  /** Of a session: under which start of its host. */
  readonly epoch?: number | undefined;
  readonly seq: number;
}

/** What is to be told, with how far that is. */
export interface LedgerEntry {
  readonly news: News;
  /**
   * `due`: it is to be told. `sending`: the outcome is not known yet. `unsure`: a process ended while it was sending, or there was no
   * answer, so nobody knows; it is told again, and says so.
   */
  readonly stage: "due" | "sending" | "unsure";
  /** The call was decided meanwhile: it is not told any more. */
  readonly isOver?: boolean;
  /** The same call under an older id, which was being told when this one came. */
  readonly replaces?: string | undefined;
}

/** All that must survive a crash. */
export interface Ledger {
  readonly place: Place | undefined;
  readonly entries: readonly LedgerEntry[];
  /** The ids of what was told, the newest last. */
  readonly told: readonly string[];
}

/** What became of an event, as far as it matters here. */
export type NewsFact =
  /** `replaces`: the call was asked about before, under this id. */
  | { readonly kind: "asked"; readonly news: News; readonly replaces?: string | undefined }
  | { readonly kind: "decided"; readonly id: string }
  | { readonly kind: "ended"; readonly news: News };

export type LedgerStep =
  /** Read from here on; `open` is what waits for a person already. */
  | { readonly type: "began"; readonly place: Place; readonly open: readonly News[] }
  | { readonly type: "happened"; readonly place: Place; readonly fact?: NewsFact | undefined }
  | { readonly type: "sending" | "told"; readonly id: string }
  | { readonly type: "failed"; readonly id: string; readonly mayHaveArrived: boolean }
  /** Another process has left the ledger; `again` tells once more what may have been told. */
  | { readonly type: "taken_up"; readonly ifUnsure: IfUnsure };

export type IfUnsure = "again" | "skip";

export const emptyLedger: Ledger = { place: undefined, entries: [], told: [] };

/** More calls than wait at the same time, over all that a log may repeat. */
const MAX_TOLD = 4_000;

/** The ledger after a step. What has been told is never to be told again; what is decided is not told any more. */
export function stepLedger(ledger: Ledger, step: LedgerStep): Ledger {
  switch (step.type) {
    case "began": {
      const isOther = ledger.place !== undefined && ledger.place.log_id !== step.place.log_id;
      // Calls of another log are gone with it; what has ended has ended.
      const entries = ledger.entries.filter(({ news }) => !isOther || news.kind !== "asked");
      return step.open.reduce<Ledger>((before, news) => add(before, news), {
        ...ledger,
        place: step.place,
        entries,
      });
    }
    case "happened":
      return { ...happened(ledger, step.fact), place: step.place };
    case "sending":
      return change(ledger, step.id, (entry) => ({ ...entry, stage: "sending" }));
    case "failed":
      return change(ledger, step.id, (entry) =>
        entry.isOver === true
          ? undefined
          : { ...entry, stage: step.mayHaveArrived ? "unsure" : "due" },
      );
    case "told":
      return tell(ledger, step.id);
    default:
      return takenUp(ledger, step.ifUnsure);
  }
}

/** The entry to tell next, of those that may be told. */
export const nextEntry = (
  { entries }: Ledger,
  mayTell: (entry: LedgerEntry) => boolean,
): LedgerEntry | undefined => entries.find((entry) => entry.stage !== "sending" && mayTell(entry));

function happened(ledger: Ledger, fact: NewsFact | undefined): Ledger {
  switch (fact?.kind) {
    case "decided":
      return change(ledger, fact.id, (entry) =>
        entry.stage === "sending" ? { ...entry, isOver: true } : undefined,
      );
    case "ended":
      return add(ledger, fact.news);
    case "asked": {
      const { news, replaces } = fact;
      if (replaces !== undefined && ledger.told.includes(replaces)) return tell(ledger, news.id);
      const isSending = ledger.entries.some((entry) => entry.news.id === replaces);
      return add(ledger, news, isSending ? replaces : undefined);
    }
    default:
      return ledger;
  }
}

function takenUp(ledger: Ledger, ifUnsure: IfUnsure): Ledger {
  const open = ledger.entries.filter(({ stage }) => stage !== "due");
  return open.reduce((before, { news, isOver }) => {
    if (ifUnsure === "skip") return tell(before, news.id);
    // Of one that was decided nothing is told any more; one in its place may have been told with it.
    const after = isOver === true ? change(before, news.id, () => undefined) : before;
    const isUnsure = (entry: LedgerEntry): boolean =>
      entry.news.id === news.id || entry.replaces === news.id;
    const entries = after.entries.map((entry): LedgerEntry =>
      isUnsure(entry) ? { ...entry, stage: "unsure" } : entry,
    );
    return { ...after, entries };
  }, ledger);
}

function add(ledger: Ledger, news: News, replaces?: string): Ledger {
  const isKnown =
    ledger.told.includes(news.id) || ledger.entries.some((entry) => entry.news.id === news.id);
  if (isKnown) return ledger;
  const entry: LedgerEntry = { news, stage: "due", ...(replaces !== undefined && { replaces }) };
  return { ...ledger, entries: [...ledger.entries, entry] };
}

function tell(ledger: Ledger, id: string): Ledger {
  const isSame = (entry: LedgerEntry): boolean => entry.news.id === id || entry.replaces === id;
  const ids = new Set([id, ...ledger.entries.filter(isSame).map(({ news }) => news.id)]);
  return {
    ...ledger,
    entries: ledger.entries.filter((entry) => !isSame(entry)),
    told: [...ledger.told.filter((each) => !ids.has(each)), ...ids].slice(-MAX_TOLD),
  };
}

function change(
  ledger: Ledger,
  id: string,
  to: (entry: LedgerEntry) => LedgerEntry | undefined,
): Ledger {
  const entries = ledger.entries.flatMap((entry) => {
    if (entry.news.id !== id) return [entry];
    const changed = to(entry);
    return changed ? [changed] : [];
  });
  return { ...ledger, entries };
}
