import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Life, LifeFact, LifeTable } from "./agent-states.ts";
import { lifeTable, nextLife, sessionOf } from "./agent-states.ts";

const limits = { stableMs: 1000, failedStarts: 3 };
const session = "its session";

const lost = (nowMs = 0): LifeFact<string> => ({ type: "lost", why: "it fell over", nowMs });
const begun: LifeFact<string> = { type: "begun", asleep: false };
const connected: LifeFact<string> = { type: "connected", session };
const ready: LifeFact<string> = { type: "ready", nowMs: 0 };

const after = (...facts: LifeFact<string>[]): Life<string> =>
  facts.reduce<Life<string>>((life, fact) => nextLife(life, fact, limits), { at: "stopped" });

const comeUp = [begun, connected, { type: "caught_up" }, ready] as const;

test("nextLife goes from starting over reading, checking tools and confirming the role to up", () => {
  expect(after(begun)).toEqual({ at: "starting", failures: 0 });
  expect(after(begun, connected).at).toBe("catching_up");
  expect(after(begun, connected, { type: "caught_up" }).at).toBe("checking_tools");
  const confirming = [begun, connected, { type: "caught_up" }, { type: "role_asked" }] as const;
  expect(after(...confirming)).toEqual({ at: "confirming", failures: 0, session });
  expect(after(...confirming, ready)).toMatchObject({ at: "up", gate: "open", session });
});

test("nextLife begins asleep for an agent that hibernated, and a message wakes it", () => {
  const asleep = { type: "begun", asleep: true } as const;
  expect(after(asleep)).toEqual({ at: "asleep" });
  expect(after(asleep, { type: "woken" })).toEqual({ at: "starting", failures: 0 });
});

test("nextLife stops an agent for a person, and only a person starts it again", () => {
  const stop = { type: "stop_asked", why: "enough" } as const;
  expect(after(...comeUp, stop)).toEqual({ at: "ending", why: "enough", session });
  const off = [...comeUp, stop, { type: "ended" }] as const;
  expect(after(...off, { type: "woken" }, { type: "waited" })).toEqual({
    at: "off",
    why: "enough",
  });
  expect(after(...off, { type: "start_asked" })).toEqual({ at: "starting", failures: 0 });
});

test("nextLife puts an agent to sleep only through a closed gate", () => {
  expect(after(...comeUp, { type: "fell_asleep" }).at).toBe("up");
  expect(after(...comeUp, { type: "gate_closed" }, { type: "fell_asleep" }).at).toBe("asleep");
});

test("nextLife counts a lost agent as a failed start unless it was up for long enough", () => {
  expect(after(...comeUp, lost(1000))).toMatchObject({ at: "restarting", failures: 0 });
  expect(after(...comeUp, lost(999))).toMatchObject({ at: "restarting", failures: 1 });
});

test("nextLife quarantines an agent after too many failed starts in a row, until a person lifts it", () => {
  const fail = [lost(), { type: "waited" }] as const;
  expect(after(begun, ...fail, lost())).toMatchObject({ at: "restarting", failures: 2 });
  const quarantined = [begun, ...fail, ...fail, lost()];
  expect(after(...quarantined)).toEqual({ at: "quarantined", why: "it fell over" });
  expect(after(...quarantined, { type: "waited" }, { type: "woken" }).at).toBe("quarantined");
  expect(after(...quarantined, { type: "start_asked" })).toEqual({ at: "starting", failures: 0 });
});

const anyFact: fc.Arbitrary<LifeFact<string>> = fc.oneof(
  fc.record({
    type: fc.constant("begun" as const),
    asleep: fc.boolean(),
    off: fc.option(fc.string(), { nil: undefined }),
  }),
  fc.record({ type: fc.constant("stop_asked" as const), why: fc.string() }),
  fc.record({
    type: fc.constantFrom(
      "woken" as const,
      "caught_up" as const,
      "role_asked" as const,
      "gate_closed" as const,
      "gate_opened" as const,
      "fell_asleep" as const,
      "waited" as const,
      "start_asked" as const,
      "ended" as const,
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

/** Facts in any order, and now and then those that bring an agent up, or let it fail: by chance alone few histories would get there. */
const anyHistory: fc.Arbitrary<LifeFact<string>[]> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: anyFact.map((fact) => [fact]) },
      { weight: 1, arbitrary: fc.constant([...comeUp]) },
      { weight: 1, arbitrary: fc.constant([lost(), { type: "waited" } as const]) },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.flat());

const cameUpFrom: readonly Life<string>["at"][] = ["up", "checking_tools", "confirming"];

/** What must hold after every fact; empty when all of it does. */
function breaches(
  before: Life<string>,
  fact: LifeFact<string>,
  life: Life<string>,
  table: LifeTable = lifeTable,
): string[] {
  const [old, now] = [sessionOf(before), sessionOf(life)];
  const isNew = now !== old && now !== undefined;
  const rules: Record<string, boolean> = {
    "an agent comes up after it has caught up": life.at !== "up" || cameUpFrom.includes(before.at),
    "a session comes from a connection": !isNew || fact.type === "connected",
    "failures stay below the limit": !("failures" in life) || life.failures < limits.failedStarts,
    "only a loss leads to quarantine":
      life.at !== "quarantined" || before.at === "quarantined" || fact.type === "lost",
    "a stopped agent starts only when a person asks":
      before.at !== "off" ||
      [before.at, "stopped"].includes(life.at) ||
      fact.type === "start_asked",
    "an agent falls asleep through a closed gate":
      life.at !== "asleep" || before.at !== "up" || before.gate === "closed",
    "no fact counts twice":
      life === before || fact.type === "lost" || nextLife(life, fact, limits, table) === life,
  };
  return Object.keys(rules).filter((rule) => !rules[rule]);
}

/** The rules that the first bad history breaks; empty when all histories keep all rules. */
function brokenRules(table: LifeTable, numRuns: number): string[] {
  let broken: string[] = [];
  fc.check(
    fc.property(anyHistory, (history) => {
      let life: Life<string> = { at: "stopped" };
      for (const fact of history) {
        const before: Life<string> = life;
        life = nextLife(before, fact, limits, table);
        broken = breaches(before, fact, life, table);
        if (broken.length > 0) return false;
      }
      return true;
    }),
    { numRuns, endOnFailure: true, seed: 14 },
  );
  return broken;
}

test("nextLife keeps its rules over random facts in any order", () => {
  expect(brokenRules(lifeTable, 10_000)).toEqual([]);
});

const stopped: Life<string> = { at: "stopped" };
const off: Life<string> = { at: "off", why: "enough" };
const ending = (of?: string): Life<string> => ({ at: "ending", why: "enough", session: of });
const starting = (failures: number): Life<string> => ({ at: "starting", failures });

/** One life, and what each fact makes of it; a fact that is not named changes nothing. */
type Row = [life: Life<string>, outcomes: Partial<Record<string, Life<string>>>];

/** With a second failure in a row, and with the third, which is one too many. */
const expected: Row[] = [1, 2].flatMap((failures): Row[] => {
  const some = { failures, session };
  const up = { at: "up", ...some, gate: "open", sinceMs: 5000 } as const;
  const closed = { ...up, gate: "closed" } as const;
  const stop_asked = ending(session);
  const why = "it fell over";
  const failed: Life<string> =
    failures === 1 ? { at: "restarting", failures: 2, why } : { at: "quarantined", why };
  const calm: Life<string> = { at: "restarting", failures: 0, why };
  return [
    [stopped, { begun: starting(0), begun_asleep: { at: "asleep" }, begun_off: ending() }],
    [{ at: "asleep" }, { woken: starting(0), start_asked: starting(0), stop_asked: off, stopped }],
    [
      starting(failures),
      { connected: { at: "catching_up", ...some }, lost: failed, stop_asked: ending(), stopped },
    ],
    [
      { at: "catching_up", ...some },
      { caught_up: { at: "checking_tools", ...some }, lost: failed, stop_asked, stopped },
    ],
    [
      { at: "checking_tools", ...some },
      { role_asked: { at: "confirming", ...some }, ready: up, lost: failed, stop_asked, stopped },
    ],
    [
      { at: "confirming", ...some },
      { ready: up, lost: failed, stop_asked, stopped },
    ],
    [up, { gate_closed: closed, lost: failed, lost_late: calm, stop_asked, stopped }],
    [
      closed,
      {
        gate_opened: up,
        fell_asleep: { at: "asleep" },
        lost: failed,
        lost_late: calm,
        stop_asked,
        stopped,
      },
    ],
    [
      { at: "restarting", failures, why },
      { waited: starting(failures), stop_asked: ending(), stopped },
    ],
    [
      { at: "quarantined", why },
      { start_asked: starting(0), stop_asked: ending(), stopped },
    ],
    [stop_asked, { ended: off, stopped }],
    [off, { start_asked: starting(0), stopped }],
  ];
});

const facts: Record<string, LifeFact<string>> = {
  begun,
  begun_asleep: { type: "begun", asleep: true },
  begun_off: { type: "begun", asleep: true, off: "enough" },
  woken: { type: "woken" },
  connected,
  caught_up: { type: "caught_up" },
  role_asked: { type: "role_asked" },
  ready: { type: "ready", nowMs: 5000 },
  gate_closed: { type: "gate_closed" },
  gate_opened: { type: "gate_opened" },
  fell_asleep: { type: "fell_asleep" },
  // 1 ms less than stable, and stable.
  lost: lost(5999),
  lost_late: lost(6000),
  waited: { type: "waited" },
  start_asked: { type: "start_asked" },
  stop_asked: { type: "stop_asked", why: "enough" },
  ended: { type: "ended" },
  stopped: { type: "stopped" },
};

/** What a table makes of each life and fact, where that is not what is expected. */
function mistakes(table: LifeTable): string[] {
  return expected.flatMap(([life, outcomes]) =>
    Object.entries(facts).flatMap(([name, fact]) => {
      const isLate = name === "lost_late" && life.at !== "up";
      const wanted = outcomes[isLate ? "lost" : name] ?? life;
      const got = nextLife(life, fact, limits, table);
      return isDeepStrictEqual(got, wanted) ? [] : [`${life.at} + ${name}: ${JSON.stringify(got)}`];
    }),
  );
}

test("nextLife makes of each life and fact what the table of this test says", () => {
  expect(mistakes(lifeTable)).toEqual([]);
});

type Step = (life: Life<string>, fact: LifeFact<string>, given: typeof limits) => Life<string>;

/** Another value than this one, of the same kind. */
const changed = (value: unknown): unknown => {
  if (typeof value === "number") return value + 1;
  if (value === "open") return "closed";
  return value === "closed" ? "open" : `${String(value)}!`;
};

/** Faults in one row of the table, by name. */
function faultsOf(step: Step | undefined): [name: string, fault: Step | undefined][] {
  const targets = expected.map(([target]): [string, Step] => [
    `leads to ${JSON.stringify(target)}`,
    () => target,
  ]);
  if (!step) return targets;
  const fields = ["failures", "session", "gate", "sinceMs", "why"].map((field): [string, Step] => [
    `changes ${field}`,
    (...given) => {
      const life = step(...given);
      return field in life ? { ...life, [field]: changed(Reflect.get(life, field)) } : life;
    },
  ]);
  const bounds = [-1, 1].flatMap((by): [string, Step][] => [
    [
      `has failedStarts ${by}`,
      (life, fact, given) => step(life, fact, { ...given, failedStarts: given.failedStarts + by }),
    ],
    [
      `has stableMs ${by}`,
      (life, fact, given) => step(life, fact, { ...given, stableMs: given.stableMs + by }),
    ],
  ]);
  return [["does nothing", undefined], ...targets, ...fields, ...bounds];
}

/** Every table with one fault in one row, or with one row too many. */
const faultyTables = Object.keys(lifeTable).flatMap((at) =>
  [...new Set(Object.values(facts).map(({ type }) => type))].flatMap((type) => {
    const rows = Reflect.get(lifeTable, at) as Record<string, Step>;
    return faultsOf(rows[type]).map(([name, fault]): [string, LifeTable] => [
      `${at} + ${type} ${name}`,
      { ...lifeTable, [at]: { ...rows, [type]: fault } },
    ]);
  }),
);

/** A table that behaves like ours in every life and fact is not faulty. */
function isEquivalent(fault: string): boolean {
  const [row = "", what = ""] = fault.split(/(?<=^\S+ \+ \S+) /);
  const [at = "", type = ""] = row.split(" + ");
  const rows = expected.filter(([life]) => life.at === at);
  // The row leads to this life in any case: the state has one life, and the fact leads from it to the same.
  if (what.startsWith("leads to ")) {
    const target = what.slice("leads to ".length);
    return rows.every(([life, outcomes]) => JSON.stringify(outcomes[type] ?? life) === target);
  }
  // The row's result has no such field.
  const [, field] = /^changes (\w+)/.exec(what) ?? [];
  if (field !== undefined)
    return rows.every(([life, outcomes]) => !(field in (outcomes[type] ?? life)));
  // Only a loss counts failures, and only one of an agent that was up asks how long that was.
  if (what.includes("failedStarts")) return type !== "lost";
  if (what.includes("stableMs")) return type !== "lost" || at !== "up";
  return false;
}

test("a fault in any row of lifeTable is found, unless it changes nothing", () => {
  const survivors = faultyTables.filter(([, table]) => mistakes(table).length === 0);
  expect(faultyTables.length).toBeGreaterThan(1000);
  expect(survivors.map(([name]) => name).filter((name) => !isEquivalent(name))).toEqual([]);
});

test("each rule that nextLife keeps is broken by some fault in lifeTable", () => {
  const found = new Set<string>();
  for (const [, table] of faultyTables) {
    for (const rule of brokenRules(table, 100)) found.add(rule);
    if (found.size === 7) break;
  }
  expect([...found].toSorted()).toEqual([
    "a session comes from a connection",
    "a stopped agent starts only when a person asks",
    "an agent comes up after it has caught up",
    "an agent falls asleep through a closed gate",
    "failures stay below the limit",
    "no fact counts twice",
    "only a loss leads to quarantine",
  ]);
});
