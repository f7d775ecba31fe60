import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import type { Fact, Look, Stage, Step } from "./stage.ts";
import { next, transitions } from "./stage.ts";

// A line is: stage + fact → next stage: effects. `!tried` is a flag that is false, and `_` a space in a value.
const examples = `
  waiting !tried + claimed → claimed !tried mayOffer: look
  waiting tried + claimed → claimed tried !mayOffer: look
  waiting !tried + restored how=seen → arrived how=seen inbox=note !inTurn: note step=seen
  waiting !tried + seen inInbox → arrived how=seen inbox=note !inTurn: note step=seen
  waiting !tried + seen !inInbox → same
  waiting tried + seen !inInbox → same
  waiting !tried + call_waits call=c2 !isTaken → offered call=c2 !leased: end_wait call=c2
  waiting !tried + call_waits call=c2 isTaken → same
  waiting tried + call_waits call=c2 !isTaken → same
  waiting !tried + call_ended call=c1 carries asks inInbox → arrived how=returned inbox=note inTurn: note step=returned
  waiting !tried + call_ended call=c1 carries !asks inInbox → arrived how=returned inbox=note !inTurn: note step=returned
  waiting !tried + call_ended call=c1 carries asks !inInbox → arrived how=returned inbox=none inTurn
  waiting !tried + call_ended call=c1 carries !asks !inInbox → settled how=returned
  waiting !tried + call_ended call=c1 !carries !asks inInbox → same
  waiting tried + call_ended call=c1 !carries !asks inInbox → same
  waiting !tried + failed → same: give_back delayMs=500
  claimed !tried mayOffer + claimed → same: look
  claimed !tried mayOffer + seen inInbox → arrived how=seen inbox=settle !inTurn: settle step=seen
  claimed !tried mayOffer + call_waits call=c2 !isTaken → offered call=c2 leased: end_wait call=c2
  claimed !tried mayOffer + call_waits call=c2 isTaken → same
  claimed !tried mayOffer + call_ended call=c1 carries asks inInbox → arrived how=returned inbox=settle inTurn: settle step=returned
  claimed !tried mayOffer + call_ended call=c1 carries !asks inInbox → arrived how=returned inbox=settle !inTurn: settle step=returned
  claimed !tried mayOffer + call_ended call=c1 !carries !asks inInbox → same
  claimed !tried mayOffer + failed → waiting !tried: give_back delayMs=500
  claimed tried !mayOffer + failed → waiting tried: give_back delayMs=500
  held + seen inInbox → arrived how=seen inbox=settle !inTurn: settle step=seen
  held + call_ended call=c1 carries asks inInbox → arrived how=returned inbox=settle inTurn: settle step=returned
  held + call_ended call=c1 carries !asks inInbox → arrived how=returned inbox=settle !inTurn: settle step=returned
  held + call_ended call=c1 !carries !asks inInbox → same
  held + turn_ended !callIsOpen → waiting !tried: give_back delayMs=0
  held + session_lost why=w → waiting !tried: give_back delayMs=0
  reserved call=c1 + call_waits call=c2 !isTaken → offered call=c2 leased: end_wait call=c2
  reserved call=c1 + time_over → claimed !tried !mayOffer: look
  reserved call=c1 + call_ended call=c1 carries asks inInbox → arrived how=returned inbox=settle inTurn: settle step=returned
  reserved call=c1 + call_ended call=c1 carries !asks inInbox → arrived how=returned inbox=settle !inTurn: settle step=returned
  reserved call=c1 + call_ended call=c1 !carries !asks inInbox → claimed !tried !mayOffer: look
  reserved call=c1 + call_ended call=c2 !carries !asks inInbox → same
  reserved call=c1 + turn_ended !callIsOpen → claimed !tried !mayOffer: look
  reserved call=c1 + turn_ended callIsOpen → same
  reserved call=c1 + session_lost why=w → waiting !tried: give_back delayMs=0
  offered call=c1 leased + claimed → same
  offered call=c1 !leased + claimed → offered call=c1 leased
  offered call=c1 leased + call_ended call=c1 carries asks inInbox → arrived how=returned inbox=settle inTurn: settle step=returned
  offered call=c1 leased + call_ended call=c1 carries !asks inInbox → arrived how=returned inbox=settle !inTurn: settle step=returned
  offered call=c1 leased + call_ended call=c1 !carries !asks inInbox → claimed !tried !mayOffer: look
  offered call=c1 leased + call_ended call=c2 !carries !asks inInbox → same
  offered call=c1 !leased + call_ended call=c1 carries asks inInbox → arrived how=returned inbox=note inTurn: note step=returned
  offered call=c1 !leased + call_ended call=c1 carries !asks inInbox → arrived how=returned inbox=note !inTurn: note step=returned
  offered call=c1 !leased + call_ended call=c1 !carries !asks inInbox → waiting !tried
  offered call=c1 leased + turn_ended !callIsOpen → claimed !tried !mayOffer: look
  offered call=c1 !leased + turn_ended !callIsOpen → waiting !tried
  offered call=c1 leased + session_lost why=w → waiting !tried: give_back delayMs=0
  offered call=c1 !leased + session_lost why=w → waiting !tried
  pushed !quiet !taken + claimed → same: push !quiet
  pushed quiet taken + claimed → same: push quiet
  pushed !quiet !taken + push_taken → pushed !quiet taken: tell_pushed
  pushed !quiet !taken + push_taken over=seen → arrived how=seen inbox=settle !inTurn: tell_pushed, settle step=seen
  pushed !quiet !taken + push_taken over=dropped → settled how=dead: tell_pushed, bury why=The_session_dropped_it_(earlier).
  pushed quiet taken + push_taken → same
  pushed quiet taken + push_taken over=seen → arrived how=seen inbox=settle !inTurn: settle step=seen
  pushed quiet taken + push_taken over=dropped → settled how=dead: bury why=The_session_dropped_it_(earlier).
  pushed !quiet !taken + push_failed → waiting tried: give_back delayMs=200
  pushed !quiet !taken + seen inInbox → arrived how=seen inbox=settle !inTurn: tell_pushed, settle step=seen
  pushed quiet taken + seen inInbox → arrived how=seen inbox=settle !inTurn: settle step=seen
  pushed !quiet !taken + dropped reason=r !isTakenBack → settled how=dead: bury why=The_session_dropped_it_(r).
  pushed !quiet taken + dropped reason=r isTakenBack → settled how=withdrawn: withdraw reason=its_task_was_canceled
  pushed !quiet taken + task_canceled → same: take_back
  pushed quiet taken + task_canceled → same
  pushed !quiet !taken + session_lost why=w → waiting !tried: lose why=w
  arrived how=seen inbox=settle inTurn + claimed → same: settle step=seen
  arrived how=returned inbox=settle !inTurn + claimed → same: settle step=returned
  arrived how=returned inbox=note inTurn + claimed → arrived how=returned inbox=settle inTurn: settle step=returned
  arrived how=seen inbox=note !inTurn + claimed → arrived how=seen inbox=settle !inTurn: settle step=seen
  arrived how=seen inbox=claim inTurn + claimed → arrived how=seen inbox=settle inTurn: settle step=seen
  arrived how=returned inbox=claim !inTurn + claimed → arrived how=returned inbox=settle !inTurn: settle step=returned
  arrived how=seen inbox=settle inTurn + left_inbox → arrived how=seen inbox=none inTurn
  arrived how=returned inbox=settle !inTurn + left_inbox → settled how=returned
  arrived how=returned inbox=note inTurn + left_inbox → arrived how=returned inbox=none inTurn
  arrived how=seen inbox=note !inTurn + left_inbox → settled how=seen
  arrived how=returned inbox=none inTurn + left_inbox → same
  arrived how=seen inbox=settle inTurn + noted → arrived how=seen inbox=claim inTurn: time ms=500
  arrived how=returned inbox=settle !inTurn + noted → arrived how=returned inbox=claim !inTurn: time ms=500
  arrived how=returned inbox=note inTurn + noted → arrived how=returned inbox=claim inTurn: time ms=500
  arrived how=seen inbox=note !inTurn + noted → arrived how=seen inbox=claim !inTurn: time ms=500
  arrived how=seen inbox=claim inTurn + noted → same: time ms=500
  arrived how=seen inbox=settle inTurn + failed → same: time ms=500
  arrived how=seen inbox=settle inTurn + time_over → same: settle step=seen
  arrived how=returned inbox=settle !inTurn + time_over → same: settle step=returned
  arrived how=returned inbox=note inTurn + time_over → same: note step=returned
  arrived how=seen inbox=note !inTurn + time_over → same: note step=seen
  arrived how=seen inbox=claim inTurn + time_over → same: note step=seen
  arrived how=returned inbox=none inTurn + time_over → same
  arrived how=seen inbox=settle inTurn + call_ended call=c1 carries asks inInbox → same
  arrived how=seen inbox=settle inTurn + call_ended call=c1 carries !asks inInbox → arrived how=seen inbox=settle !inTurn
  arrived how=returned inbox=settle !inTurn + call_ended call=c1 carries asks inInbox → arrived how=returned inbox=settle inTurn
  arrived how=returned inbox=note inTurn + call_ended call=c1 carries !asks inInbox → arrived how=returned inbox=note !inTurn
  arrived how=seen inbox=note !inTurn + call_ended call=c1 carries asks inInbox → arrived how=seen inbox=note inTurn
  arrived how=seen inbox=claim inTurn + call_ended call=c1 carries !asks inInbox → arrived how=seen inbox=claim !inTurn
  arrived how=returned inbox=claim !inTurn + call_ended call=c1 carries asks inInbox → arrived how=returned inbox=claim inTurn
  arrived how=returned inbox=none inTurn + call_ended call=c1 carries !asks inInbox → arrived how=returned inbox=none !inTurn
  arrived how=seen inbox=none !inTurn + call_ended call=c1 carries asks inInbox → arrived how=seen inbox=none inTurn
  arrived how=seen inbox=settle inTurn + turn_ended !callIsOpen → arrived how=seen inbox=settle !inTurn
  arrived how=returned inbox=settle !inTurn + turn_ended !callIsOpen → same
  arrived how=returned inbox=note inTurn + turn_ended !callIsOpen → arrived how=returned inbox=note !inTurn
  arrived how=seen inbox=claim inTurn + turn_ended !callIsOpen → arrived how=seen inbox=claim !inTurn
  arrived how=returned inbox=none inTurn + turn_ended !callIsOpen → settled how=returned
  arrived how=seen inbox=none !inTurn + turn_ended !callIsOpen → settled how=seen
  arrived how=seen inbox=settle inTurn + session_lost why=w → arrived how=seen inbox=settle !inTurn
  arrived how=returned inbox=settle !inTurn + session_lost why=w → same
  arrived how=returned inbox=note inTurn + session_lost why=w → arrived how=returned inbox=note !inTurn
  arrived how=seen inbox=claim inTurn + session_lost why=w → arrived how=seen inbox=claim !inTurn
  arrived how=returned inbox=none inTurn + session_lost why=w → settled how=returned
  arrived how=seen inbox=none !inTurn + session_lost why=w → settled how=seen
  arrived how=seen inbox=settle inTurn + session_reset → arrived how=seen inbox=settle !inTurn
  arrived how=returned inbox=settle !inTurn + session_reset → same
  arrived how=returned inbox=note inTurn + session_reset → arrived how=returned inbox=note !inTurn
  arrived how=seen inbox=claim inTurn + session_reset → arrived how=seen inbox=claim !inTurn
  arrived how=returned inbox=none inTurn + session_reset → settled how=returned
  arrived how=seen inbox=none !inTurn + session_reset → settled how=seen
  settled how=dead + claimed → claimed !tried mayOffer: look
  settled how=dead + failed → waiting !tried: give_back delayMs=500
`;

type Fields = Record<string, unknown>;

function fieldsOf(words: string, name: string): Fields {
  const [first, ...rest] = words.split(" ");
  const fields = rest.map((word): [string, unknown] => {
    const [field = "", value] = word.split("=");
    if (value !== undefined)
      return [field, /^\d+$/.test(value) ? Number(value) : value.replaceAll("_", " ")];
    return field.startsWith("!") ? [field.slice(1), false] : [field, true];
  });
  return { [name]: first, ...Object.fromEntries(fields) };
}

interface Example {
  readonly line: string;
  readonly stage: Stage;
  readonly fact: Fact;
  readonly step: Step;
}

const parsed: Example[] = examples
  .trim()
  .split("\n")
  .map((text): Example => {
    const line = text.trim();
    const [before = "", after = ""] = line.split(" → ");
    const [stageWords = "", factWords = ""] = before.split(" + ");
    const [nextWords = "", effectWords] = after.split(/: (.*)/);
    const stage = fieldsOf(stageWords, "at") as unknown as Stage;
    const effects = effectWords?.split(", ").map((words) => fieldsOf(words, "do")) ?? [];
    const stageAfter = nextWords === "same" ? stage : fieldsOf(nextWords, "at");
    return {
      line,
      stage,
      fact: fieldsOf(factWords, "type") as unknown as Fact,
      step: { stage: stageAfter, effects } as unknown as Step,
    };
  });

const idle: Look = {
  isControl: false,
  isAsleep: false,
  isSeen: false,
  isTaken: false,
  holdUp: undefined,
  waitingCall: undefined,
  resentCall: undefined,
  hasSession: true,
  isExpired: false,
  isQuiet: false,
  mayJoin: true,
};
const early = { kind: "early" } as const;
const hopeless = { kind: "hopeless", why: "w" } as const;
const ended = { kind: "ended", reason: "r" } as const;

/** What a look leads to: what differs from a message that can be pushed, the stage, and the step. */
const looks: [Partial<Look>, string, string][] = [
  [{}, "claimed !tried mayOffer", "pushed !quiet !taken: push !quiet"],
  [{ isQuiet: true, mayJoin: false }, "claimed !tried mayOffer", "pushed quiet !taken: push quiet"],
  [{ mayJoin: false }, "claimed !tried mayOffer", "held"],
  [{ mayJoin: false }, "claimed tried !mayOffer", "held"],
  [
    { isControl: true, isAsleep: true },
    "claimed !tried mayOffer",
    "arrived how=returned inbox=settle !inTurn: settle step=returned",
  ],
  [
    { isAsleep: true, hasSession: false },
    "claimed !tried mayOffer",
    "waiting !tried: wake, give_back delayMs=0",
  ],
  [
    { isSeen: true, hasSession: false },
    "claimed tried !mayOffer",
    "arrived how=seen inbox=settle !inTurn: settle step=seen",
  ],
  [{ hasSession: false }, "claimed tried !mayOffer", "waiting tried: give_back delayMs=0"],
  [
    { hasSession: false, holdUp: ended },
    "claimed !tried mayOffer",
    "waiting !tried: give_back delayMs=0",
  ],
  [
    { isTaken: true, holdUp: ended, isExpired: true, waitingCall: "c1", mayJoin: false },
    "claimed !tried mayOffer",
    "pushed !quiet !taken: push !quiet",
  ],
  [
    { holdUp: hopeless, isExpired: true, waitingCall: "c1" },
    "claimed tried !mayOffer",
    "pushed !quiet !taken: push !quiet",
  ],
  [
    { holdUp: ended, waitingCall: "c1" },
    "claimed !tried mayOffer",
    "settled how=withdrawn: withdraw reason=r",
  ],
  [
    { holdUp: early, waitingCall: "c1" },
    "claimed !tried mayOffer",
    "waiting !tried: give_back delayMs=500",
  ],
  [{ holdUp: hopeless }, "claimed !tried mayOffer", "settled how=dead: bury why=w"],
  [
    { waitingCall: "c1", resentCall: "c1", isExpired: true },
    "claimed !tried mayOffer",
    "offered call=c1 leased: end_wait call=c1",
  ],
  [
    { resentCall: "c1", mayJoin: false },
    "claimed !tried mayOffer",
    "reserved call=c1: time ms=35000",
  ],
  [
    { waitingCall: "c1", resentCall: "c1" },
    "claimed !tried !mayOffer",
    "pushed !quiet !taken: push !quiet",
  ],
  [{ isExpired: true }, "claimed !tried mayOffer", "waiting !tried: give_back delayMs=0"],
];

const lookExamples = looks.map(([differs, stageWords, stepWords]): Example => {
  const [stage = "", effects] = stepWords.split(/: (.*)/);
  return {
    line: `${JSON.stringify(differs)} in ${stageWords}`,
    stage: fieldsOf(stageWords, "at") as unknown as Stage,
    fact: { type: "looked", look: { ...idle, ...differs } },
    step: {
      stage: fieldsOf(stage, "at"),
      effects: effects?.split(", ").map((words) => fieldsOf(words, "do")) ?? [],
    } as unknown as Step,
  };
});
const all = [...parsed, ...lookExamples];

test("each fact leads where the examples say, with the effects that they name", () => {
  const taken = all.map(({ line, stage, fact }) => ({ line, step: next(stage, fact) }));
  expect(taken).toEqual(all.map(({ line, step }) => ({ line, step })));
});

type Row = (stage: Stage, fact: Fact) => Step;
type Fault = (step: Step, before: Stage) => Step;

const changed = (stage: Stage, field: string, value: (before: unknown) => unknown): Stage => {
  const fields = stage as unknown as Fields;
  return field in fields
    ? ({ ...fields, [field]: value(fields[field]) } as unknown as Stage)
    : stage;
};
const flags = ["tried", "mayOffer", "leased", "quiet", "taken", "inTurn"];
const faults = new Map<string, Fault>([
  ["changes nothing", (_, before) => ({ stage: before, effects: [] })],
  ["has no effects", ({ stage }) => ({ stage, effects: [] })],
  ["leaves out the first effect", ({ stage, effects }) => ({ stage, effects: effects.slice(1) })],
  [
    "leaves out the last effect",
    ({ stage, effects }) => ({ stage, effects: effects.slice(0, -1) }),
  ],
  ["keeps the stage", ({ effects }, before) => ({ stage: before, effects })],
  ["leads to settled", ({ effects }) => ({ stage: { at: "settled", how: "seen" }, effects })],
  ["leads to waiting", ({ effects }) => ({ stage: { at: "waiting", tried: false }, effects })],
  ...flags.map((flag): [string, Fault] => [
    `turns ${flag} round`,
    ({ stage, effects }) => ({ stage: changed(stage, flag, (is) => is !== true), effects }),
  ]),
  [
    "forgets the inbox",
    ({ stage, effects }) => ({ stage: changed(stage, "inbox", () => "none"), effects }),
  ],
]);
const rows = Object.entries(transitions).flatMap(([at, byType]) =>
  Object.entries(byType).map(([type, row]) => ({ at, type, row: row as Row })),
);

test.each(rows)("the examples find each fault in the row of $type at $at", ({ at, type, row }) => {
  const ofRow = all.filter(({ stage, fact }) => stage.at === at && fact.type === type);
  const found = [...faults].filter(([, plant]) =>
    ofRow.some(({ stage, fact, step }) => {
      const table = { ...transitions, [at]: { [type]: () => plant(row(stage, fact), stage) } };
      return !isDeepStrictEqual(next(stage, fact, table), step);
    }),
  );
  const names = found.map(([name]) => name);
  // A fault that is not found is none: the row has no such effect or field.
  expect(names).toEqual(expect.arrayContaining(["changes nothing"]));
  expect(names.length).toBeGreaterThan(3);
});
