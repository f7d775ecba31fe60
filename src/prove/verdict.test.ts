import { array, assert, boolean, integer, nat, property } from "fast-check";
import { describe, expect, test } from "vitest";
import type { JournalEntry } from "../rehearsal/index.ts";
import type { SessionEvent } from "../wire/session/events.ts";
import {
  judgeAlways,
  judgeCopies,
  judgeCosts,
  judgeMessages,
  judgeNotices,
  judgeOrder,
  judgePersona,
  judgeRuns,
  judgeScript,
  judgeTruth,
  judgeTurns,
} from "./verdict.ts";

const persona = "PERSONA-1";
const at = "2026-11-18T00:00:00.000Z";

let seq = 0;
const event = (fields: object): SessionEvent => {
  seq += 1;
  return { seq, at, ...fields } as SessionEvent;
};

const said = (id: string, more: object = {}): SessionEvent =>
  event({ type: "user_message", id, text: "hello", ...more });
const started = (turn_id: string): SessionEvent =>
  event({ type: "turn_started", turn_id, messages: [], cause: "message" });
const done = (turn_id: string, messages: string[], more: object = {}): SessionEvent =>
  event({
    type: "done",
    turn_id,
    messages,
    usage: { input_tokens: 1, output_tokens: 1 },
    cost_usd: 0.001,
    duration_ms: 1,
    stop_reason: "completed",
    ...more,
  });

const request = (more: object = {}): JournalEntry =>
  ({
    id: 1,
    kind: "main",
    subagent_id: null,
    system: `You are ${persona}.`,
    body: { messages: [{ role: "user", content: "hello [a-1]" }] },
    ...more,
  }) as JournalEntry;

const conversation = (): SessionEvent[] => {
  seq = 0;
  return [said("m1"), started("t1"), done("t1", ["m1"])];
};

const personaIn = (...requests: JournalEntry[]): string[] =>
  judgePersona({ persona, events: [], requests });

const answered = (): SessionEvent[] => [said("m1"), done("t1", ["m1"])];

const costs = (cost_usd: number, more: object = {}): string[] =>
  judgeCosts([done("t1", [], { cost_usd, ...more })]);

const notice = (code: string): SessionEvent => event({ type: "notice", code, message: "x" });

const content = (...texts: string[]): JournalEntry =>
  request({ body: { messages: texts.map((text) => ({ role: "user", content: text })) } });

test("a correct conversation has no faults", () => {
  const evidence = { persona, events: conversation(), requests: [request()] };
  expect(judgeAlways(evidence)).toEqual([]);
});

describe("the persona", () => {
  test("that is missing from a request is a fault that names the request", () => {
    const [fault] = personaIn(request(), request({ system: "You are Claude." }), request());
    expect(fault).toContain("1 of 3 requests");
    expect(fault).toContain("number 2.");
  });

  test("is not expected from sub-agents, nor in what the CLI asks for itself", () => {
    const system = "You are Claude.";
    const others = [request({ system, subagent_id: "sub" }), request({ system, kind: "side" })];
    expect(personaIn(request(), ...others)).toEqual([]);
  });
});

describe("a turn", () => {
  test.each([
    ["without a done", () => [started("t1")], "0 done events"],
    ["with two", () => [started("t1"), done("t1", []), done("t1", [])], "2 done events"],
    ["that was never started", () => [done("t1", [])], "started never"],
    ["that was started twice", () => [started("t1"), started("t1")], "started twice"],
    ["with its done before its start", () => [done("t1", []), started("t1")], "before its start"],
  ])("%s is a fault", (_name, events, words) => {
    expect(judgeTurns(events())).toEqual([expect.stringContaining(words)]);
  });
});

describe("a message", () => {
  test.each([
    ["that no done names", () => [said("m1"), done("t1", [])], "named by 0 done events"],
    ["that two name", () => [...answered(), done("t2", ["m1"])], "named by 2 done events"],
    ["that was accepted twice", () => [said("m1"), ...answered()], "accepted twice"],
    ["that was never said", () => [done("t1", ["m2"])], "no message of this session"],
  ])("%s is a fault", (_name, events, words) => {
    expect(judgeMessages(events()).join(" ")).toContain(words);
  });

  test("that is quiet or was dropped needs no done", () => {
    const dropped = event({ type: "message_dropped", id: "m2", reason: "aborted" });
    expect(judgeMessages([said("m1", { quiet: true }), said("m2"), dropped])).toEqual([]);
  });
});

test("a cost that is no number, or missing where the model answered, is a fault", () => {
  for (const cost of [Number.NaN, Infinity, -1]) expect(costs(cost)).toHaveLength(1);
  expect(costs(0)).toEqual([expect.stringContaining("costs nothing")]);
  expect(costs(0, { stop_reason: "aborted" })).toEqual([]);
  expect(costs(0, { usage: { input_tokens: 0, output_tokens: 0 } })).toEqual([]);
});

test("a log with any one event taken out or doubled in its middle is a fault", () => {
  const events = Array.from({ length: 20 }, (_, index) => ({ seq: index + 1 }) as SessionEvent);
  expect(judgeOrder(events)).toEqual([]);
  assert(
    property(integer({ min: 1, max: 18 }), boolean(), (place, isDoubled) => {
      const wrong = isDoubled
        ? events.toSpliced(place, 0, ...events.slice(place, place + 1))
        : events.toSpliced(place, 1);
      expect(judgeOrder(wrong)).toHaveLength(1);
    }),
  );
});

test("an unexpected notice is a fault; a notice of a restart is not", () => {
  expect(judgeNotices([notice("cli_restarted"), notice("recovery_untested")])).toEqual([]);
  expect(judgeNotices([notice("foreign_writer")])).toHaveLength(1);
});

test("a request without an answer in the script is a fault", () => {
  expect(judgeScript([request({ outcome: { result: "answered" } })])).toEqual([]);
  expect(judgeScript([request({ outcome: { result: "no_rule" } })])).toHaveLength(1);
});

describe("the words of a message", () => {
  test("stand in the next request as often as they were put there; any number but one is a fault", () => {
    assert(
      property(array(nat({ max: 3 }), { minLength: 1, maxLength: 6 }), (counts) => {
        const words = counts.map((_, index) => `[x-${index}]`);
        const texts = counts.flatMap((count, index) =>
          Array.from({ length: count }, () => `hello ${words[index]}`),
        );
        const wrong = counts.filter((count) => count !== 1).length;
        expect(judgeCopies(content(...texts), words)).toHaveLength(wrong);
      }),
    );
  });

  test("that tell the model something false are a fault", () => {
    expect(judgeTruth(content("It is done."))).toEqual([]);
    expect(judgeTruth(content("[Tool call interrupted: its outcome is unknown]"))).toHaveLength(1);
  });
});

test("a call that ran more or less often than it was allowed is a fault", () => {
  expect(judgeRuns("one", 1, 1)).toEqual([]);
  expect(judgeRuns("one", 2, 1)).toEqual(['The call "one" ran twice; expected: once.']);
  expect(judgeRuns("one", 0, 1)).toHaveLength(1);
});
