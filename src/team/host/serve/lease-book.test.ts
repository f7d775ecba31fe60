import { describe, expect, test } from "vitest";
import type { LeaseBook, LeaseFact } from "./lease-book.ts";
import { nextLeases, whyRefused } from "./lease-book.ts";

const empty: LeaseBook = { epoch: 0, terms: {}, runs: new Map() };

function after(...facts: LeaseFact[]): { book: LeaseBook; ended: string[] } {
  let book = empty;
  const all: string[] = [];
  for (const fact of facts) {
    const [next, ended] = nextLeases(book, fact);
    book = next;
    all.push(...ended.map(({ agent }) => agent));
  }
  return { book, ended: all };
}

const started = (nowMs: number, term = 1, epoch = 1): LeaseFact => ({
  type: "started",
  agent: "a",
  epoch,
  term,
  nowMs,
});
const said = (nowMs: number, agents: Record<string, number>, epoch = 1): LeaseFact => ({
  type: "said",
  says: { epoch, agents },
  nowMs,
});
const tick = (nowMs: number): LeaseFact => ({ type: "tick", nowMs });

describe("a host's leases", () => {
  test("let an agent run for 120 s after the team has last named it", () => {
    const facts = [started(0), said(60_000, { a: 1 })];
    expect(after(...facts, tick(179_999)).ended).toEqual([]);
    expect(after(...facts, tick(180_000)).ended).toEqual(["a"]);
  });

  test("are over for a host that was held up, even when the first that it hears then names the agent", () => {
    expect(after(started(0), said(300_000, { a: 1 })).ended).toEqual(["a"]);
  });

  test.each([
    ["no longer names it", {}],
    ["names it under a newer term", { a: 2 }],
  ])("end at once when the team %s", (_, agents) => {
    expect(after(started(0), said(1000, agents)).ended).toEqual(["a"]);
  });

  test("are not renewed, and not ended, by a process of the team that a newer one has followed", () => {
    const facts = [started(0, 1, 5), said(1000, { a: 1 }, 4), said(1000, {}, 4)];
    expect(after(...facts).ended).toEqual([]);
    expect(after(...facts, tick(120_000)).ended).toEqual(["a"]);
  });

  test("end once: a stopped agent is not stopped again", () => {
    expect(after(started(0), tick(120_000), tick(121_000)).ended).toEqual(["a"]);
    expect(after(started(0), { type: "stopped", agent: "a" }, tick(120_000)).ended).toEqual([]);
  });

  test("refuse a start of an older process of the team or of an older term, also when the agent has stopped", () => {
    const { book } = after(started(0, 3, 2), { type: "stopped", agent: "a" });
    const refused = (epoch: number, term: number) => whyRefused(book, { agent: "a", epoch, term });
    expect(refused(2, 3)).toBeUndefined();
    expect(refused(3, 4)).toBeUndefined();
    expect(refused(1, 4)).toContain("newer process");
    expect(refused(2, 2)).toContain("newer assignment");
  });
});
