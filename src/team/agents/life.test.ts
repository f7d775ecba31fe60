import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Life, LifeFact } from "./life.ts";
import { caughtUpSessionOf, nextLife, openSessionOf, sessionOf } from "./life.ts";

const limits = { stableMs: 1000, failedStarts: 3 };
const session = "its session";

const lost = (nowMs = 0): LifeFact<string> => ({ type: "lost", why: "it fell over", nowMs });
const begun: LifeFact<string> = { type: "begun", asleep: false };
const connected: LifeFact<string> = { type: "connected", session };
const ready: LifeFact<string> = { type: "ready", nowMs: 0 };

const after = (...facts: LifeFact<string>[]): Life<string> =>
  facts.reduce<Life<string>>((life, fact) => nextLife(life, fact, limits), { at: "stopped" });

const comeUp = [begun, connected, { type: "caught_up" }, ready] as const;

test("an agent starts, reads the events of its session, checks its tools, confirms its role and is up", () => {
  expect(after(begun)).toEqual({ at: "starting", failures: 0 });
  expect(after(begun, connected).at).toBe("catching_up");
  expect(after(begun, connected, { type: "caught_up" }).at).toBe("checking_tools");
  const confirming = [begun, connected, { type: "caught_up" }, { type: "role_asked" }] as const;
  expect(after(...confirming)).toEqual({ at: "confirming", failures: 0, session });
  expect(after(...confirming, ready)).toMatchObject({ at: "up", gate: "open", session });
});

test("an agent that hibernated before begins asleep, and a message wakes it", () => {
  const asleep = { type: "begun", asleep: true } as const;
  expect(after(asleep)).toEqual({ at: "asleep" });
  expect(after(asleep, { type: "woken" })).toEqual({ at: "starting", failures: 0 });
});

test("an agent falls asleep only through a closed gate", () => {
  expect(after(...comeUp, { type: "fell_asleep" }).at).toBe("up");
  expect(after(...comeUp, { type: "gate_closed" }, { type: "fell_asleep" }).at).toBe("asleep");
});

test("an agent that was up for long enough starts anew without a failure; one that was not has failed once more", () => {
  expect(after(...comeUp, lost(1000))).toMatchObject({ at: "restarting", failures: 0 });
  expect(after(...comeUp, lost(999))).toMatchObject({ at: "restarting", failures: 1 });
});

test("too many failed starts in a row lead to quarantine, until a person lifts it", () => {
  const fail = [lost(), { type: "waited" }] as const;
  expect(after(begun, ...fail, lost())).toMatchObject({ at: "restarting", failures: 2 });
  const quarantined = [begun, ...fail, ...fail, lost()];
  expect(after(...quarantined)).toEqual({ at: "quarantined", why: "it fell over" });
  expect(after(...quarantined, { type: "waited" }, { type: "woken" }).at).toBe("quarantined");
  expect(after(...quarantined, { type: "lifted" })).toEqual({ at: "starting", failures: 0 });
});

const anyFact: fc.Arbitrary<LifeFact<string>> = fc.oneof(
  fc.record({ type: fc.constant("begun" as const), asleep: fc.boolean() }),
  fc.record({
    type: fc.constantFrom(
      "woken" as const,
      "caught_up" as const,
      "role_asked" as const,
      "gate_closed" as const,
      "gate_opened" as const,
      "fell_asleep" as const,
      "waited" as const,
      "lifted" as const,
      "stopped" as const,
    ),
  }),
  fc.record({ type: fc.constant("connected" as const), session: fc.string() }),
  fc.record({ type: fc.constant("ready" as const), nowMs: fc.nat(5000) }),
  fc.record({
    type: fc.constant("lost" as const),
    why: fc.string(),
    nowMs: fc.nat(5000),
  }),
);

/** What must hold after every fact; empty when all of it does. */
function breaches(before: Life<string>, fact: LifeFact<string>, life: Life<string>): string[] {
  const [old, now] = [sessionOf(before), sessionOf(life)];
  const isNew = now !== old && now !== undefined;
  const isOpen = openSessionOf(life) !== undefined;
  const rules: Record<string, boolean> = {
    "messages reach only a session that has caught up": !isOpen || caughtUpSessionOf(life) === now,
    "a session comes from a connection": !isNew || fact.type === "connected",
    "failures stay below the limit": !("failures" in life) || life.failures < limits.failedStarts,
    "only a loss leads to quarantine":
      life.at !== "quarantined" || before.at === "quarantined" || fact.type === "lost",
    "an agent falls asleep through a closed gate":
      life.at !== "asleep" || before.at !== "up" || before.gate === "closed",
    "no fact counts twice":
      life === before || fact.type === "lost" || nextLife(life, fact, limits) === life,
  };
  return Object.keys(rules).filter((rule) => !rules[rule]);
}

test("nextLife keeps its rules, whatever happens in whatever order", () => {
  fc.assert(
    fc.property(fc.array(anyFact, { maxLength: 40 }), (facts) => {
      let life: Life<string> = { at: "stopped" };
      for (const fact of facts) {
        const before: Life<string> = life;
        life = nextLife(before, fact, limits);
        expect(breaches(before, fact, life)).toEqual([]);
      }
    }),
    { numRuns: 10_000 },
  );
});
