import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Ledger, LedgerStep } from "./ledger.ts";
import { emptyLedger, nextEntry, stepLedger } from "./ledger.ts";
import type { News } from "./news.ts";

const news = (id: string, kind: News["kind"] = "asked"): News => ({
  id,
  kind,
  at: "2026-11-18T12:00:00.000Z",
  where: "team",
  who: "boss",
  title: id,
  text: "",
});

const place = (seq: number, log_id = "log") => ({ log_id, seq });
const asked = (seq: number, id: string, replaces?: string): LedgerStep => ({
  type: "happened",
  place: place(seq),
  fact: { kind: "asked", news: news(id), replaces },
});
const decided = (seq: number, id: string): LedgerStep => ({
  type: "happened",
  place: place(seq),
  fact: { kind: "decided", id },
});
const sending = (id: string): LedgerStep => ({ type: "sending", id });
const told = (id: string): LedgerStep => ({ type: "told", id });
const takenUp = (ifUnsure: "again" | "skip" = "again"): LedgerStep => ({
  type: "taken_up",
  ifUnsure,
});

const after = (...steps: LedgerStep[]): Ledger => steps.reduce(stepLedger, emptyLedger);
const stages = ({ entries }: Ledger) => entries.map((entry) => [entry.news.id, entry.stage]);

describe("stepLedger", () => {
  test("keeps what is to be told, and the place, in one step", () => {
    const ledger = after(asked(7, "a"));
    expect(stages(ledger)).toEqual([["a", "due"]]);
    expect(ledger.place).toEqual(place(7));
  });

  test("tells nothing of a call that was decided first", () => {
    expect(after(asked(1, "a"), decided(2, "a")).entries).toEqual([]);
    const sent = after(asked(1, "a"), sending("a"), decided(2, "a"));
    expect(stages(sent)).toEqual([["a", "sending"]]);
    expect(stepLedger(sent, { type: "failed", id: "a", mayHaveArrived: true }).entries).toEqual([]);
    expect(stepLedger(sent, takenUp()).entries).toEqual([]);
  });

  test("tells again after a crash in the middle, and knows that it may be the second time", () => {
    const crashed = after(asked(1, "a"), sending("a"), takenUp());
    expect(stages(crashed)).toEqual([["a", "unsure"]]);
    const skipped = after(asked(1, "a"), sending("a"), takenUp("skip"));
    expect([skipped.entries, skipped.told]).toEqual([[], ["a"]]);
  });

  test("never tells twice what the log repeats", () => {
    const ledger = after(asked(1, "a"), sending("a"), told("a"), asked(1, "a"), asked(9, "a"));
    expect(ledger.entries).toEqual([]);
  });

  test("takes a call that is asked again under another id for the same one", () => {
    const whole = after(
      asked(1, "a"),
      sending("a"),
      told("a"),
      decided(2, "a"),
      asked(3, "b", "a"),
    );
    expect([whole.entries, whole.told]).toEqual([[], ["a", "b"]]);
    // The old one was not told: the new one is.
    expect(stages(after(asked(1, "a"), decided(2, "a"), asked(3, "b", "a")))).toEqual([
      ["b", "due"],
    ]);
    // It was being told when the new one came.
    const middle = [asked(1, "a"), sending("a"), decided(2, "a"), asked(3, "b", "a")];
    expect(after(...middle, told("a")).entries).toEqual([]);
    expect(stages(after(...middle, takenUp()))).toEqual([["b", "unsure"]]);
  });

  test("drops the open calls of another log, and keeps what has ended", () => {
    const end: LedgerStep = {
      type: "happened",
      place: place(2),
      fact: { kind: "ended", news: news("end", "done") },
    };
    const other: LedgerStep = { type: "began", place: place(0, "other"), open: [news("b")] };
    expect(stages(after(asked(1, "a"), end, other))).toEqual([
      ["end", "due"],
      ["b", "due"],
    ]);
  });

  test("tells every call once in any history of crashes, if each try is answered", () => {
    const call = fc.constantFrom("a", "b", "c");
    const act = fc.oneof(
      fc.record({ do: fc.constant("ask" as const), id: call }),
      fc.record({ do: fc.constant("decide" as const), id: call }),
      fc.record({ do: fc.constant("tell" as const), id: call }),
      fc.record({ do: fc.constant("restart" as const), id: call }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const times = new Map<string, number>();
        let ledger = emptyLedger;
        acts.forEach(({ do: what, id }, seq) => {
          if (what === "ask") ledger = stepLedger(ledger, asked(seq, id));
          if (what === "decide") ledger = stepLedger(ledger, decided(seq, id));
          if (what === "restart") ledger = stepLedger(ledger, takenUp());
          const next = nextEntry(ledger, () => true);
          if (what !== "tell" || !next) return;
          ledger = stepLedger(ledger, sending(next.news.id));
          times.set(next.news.id, (times.get(next.news.id) ?? 0) + 1);
          ledger = stepLedger(ledger, told(next.news.id));
        });
        expect([...times.values()].every((count) => count === 1)).toBe(true);
        expect(ledger.entries.every((entry) => !ledger.told.includes(entry.news.id))).toBe(true);
      }),
    );
  });
});
