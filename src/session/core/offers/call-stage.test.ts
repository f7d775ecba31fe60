import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { CallEffect, CallFact, CallStage } from "./call-stage.ts";
import { nextStage } from "./call-stage.ts";

const came = (isRunning = false, offersTool = true): CallFact => ({
  kind: "owner_came",
  offersTool,
  isRunning,
});
const left: CallFact = { kind: "owner_left" };
const givenUp: CallFact = { kind: "given_up" };
const returned: CallFact = { kind: "returned" };
const cancelled: CallFact = { kind: "cancelled" };

function effectsOf(facts: readonly CallFact[], idempotent: boolean): CallEffect[] {
  let stage: CallStage = "unsent";
  return facts.map((fact) => {
    const step = nextStage(stage, fact, idempotent);
    ({ stage } = step);
    return step.effect;
  });
}

test.each<[what: string, facts: CallFact[], plain: CallEffect[], idempotent?: CallEffect[]]>([
  ["is sent and returns", [came(), returned], ["send", "resolve"]],
  ["waits for its client and is sent once", [left, came(), returned], ["none", "send", "resolve"]],
  [
    "goes on when its client comes back and still works on it",
    [came(), left, came(true), returned],
    ["send", "none", "none", "resolve"],
  ],
  [
    "of which its client knows nothing is sent again only if it is idempotent",
    [came(), left, came()],
    ["send", "none", "fail_unknown"],
    ["send", "none", "send_again"],
  ],
  [
    "whose tool is not offered any more is not sent again",
    [came(), left, came(false, false)],
    ["send", "none", "fail_unknown"],
  ],
  ["fails as not run when its client never comes", [givenUp], ["fail_unrun"]],
  [
    "fails as unknown when its client stays away",
    [came(), left, givenUp],
    ["send", "none", "fail_unknown"],
  ],
  [
    "fails as unknown, and is told to its client, when its tools are withdrawn",
    [came(), givenUp, returned],
    ["send", "fail_withdrawn", "none"],
  ],
  ["that is cancelled is told to its client", [came(), cancelled], ["send", "cancel"]],
  ["that is cancelled before it was sent is told to nobody", [cancelled, came()], ["none", "none"]],
  ["that is over hears nothing more", [came(), returned, returned], ["send", "resolve", "none"]],
])("[SES-87] [SES-88] a call %s", (_, facts, plain, idempotent = plain) => {
  expect(effectsOf(facts, false)).toEqual(plain);
  expect(effectsOf(facts, true)).toEqual(idempotent);
});

const anyFact: fc.Arbitrary<CallFact> = fc.oneof(
  fc.constantFrom(left, givenUp, returned, cancelled),
  fc.record({
    kind: fc.constant("owner_came" as const),
    offersTool: fc.boolean(),
    isRunning: fc.boolean(),
  }),
);

test("[SES-87] whatever happens, a call is sent twice only if it is idempotent, and ends once", () => {
  fc.assert(
    fc.property(fc.array(anyFact, { maxLength: 12 }), fc.boolean(), (facts, idempotent) => {
      const effects = effectsOf(facts, idempotent);
      const count = (...wanted: CallEffect[]): number =>
        effects.filter((effect) => wanted.includes(effect)).length;
      expect(count("send")).toBeLessThanOrEqual(1);
      expect(idempotent || count("send_again") === 0).toBe(true);
      expect(count("send") === 1 || count("send_again", "resolve", "fail_unknown") === 0).toBe(
        true,
      );
      expect(
        count("resolve", "fail_unrun", "fail_unknown", "fail_withdrawn", "cancel"),
      ).toBeLessThanOrEqual(1);
      // In the end every call that is not cancelled has an answer for the model.
      const all = effectsOf([...facts, left, givenUp], idempotent);
      const isOver = all.some((effect) =>
        ["resolve", "fail_unrun", "fail_unknown", "fail_withdrawn"].includes(effect),
      );
      expect(isOver || facts.some(({ kind }) => kind === "cancelled")).toBe(true);
    }),
  );
});
