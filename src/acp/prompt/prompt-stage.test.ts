import { expect, test } from "vitest";
import { errorOf } from "../../wire/errors.ts";
import type { PromptOutcome } from "./prompt-outcome.ts";
import { cancelled, failedWith, outcomeOf } from "./prompt-outcome.ts";
import type { PromptEffect, PromptFact, PromptStage } from "./prompt-stage.ts";
import { sentPrompt, stepPrompt } from "./prompt-stage.ts";

const done: PromptOutcome = { ok: true, response: { stopReason: "end_turn" } };
const failed = failedWith(errorOf("cli_exited", "gone"));
const accepted: PromptFact = { type: "accepted" };
const started: PromptFact = { type: "turn_started" };
const cancel: PromptFact = { type: "cancel" };
const ended = (outcome: PromptOutcome): PromptFact => ({ type: "ended", outcome });

const rows: [
  facts: PromptFact[],
  effects: (PromptEffect | undefined)[],
  outcome?: PromptOutcome,
][] = [
  [[accepted, started, ended(done)], [undefined, undefined, undefined], done],
  [[started, accepted, ended(done)], [undefined, undefined, undefined], done],
  [
    [accepted, cancel],
    [undefined, "drop"],
  ],
  [
    [cancel, accepted],
    [undefined, "drop"],
  ],
  [
    [accepted, started, cancel],
    [undefined, undefined, "abort"],
  ],
  [
    [accepted, cancel, started],
    [undefined, "drop", "abort"],
  ],
  [[accepted, started, cancel, ended(done)], [undefined, undefined, "abort", undefined], cancelled],
  [[cancel, ended(failed)], [undefined, undefined], cancelled],
  [[accepted, ended(failed), cancel], [undefined, undefined, undefined], failed],
  [[ended(done), started, ended(failed)], [undefined, undefined, undefined], done],
];

test.each(rows)("`stepPrompt` after %j has the effects %j", (facts, effects, outcome) => {
  let stage: PromptStage = sentPrompt;
  const seen = facts.map((fact) => {
    const step = stepPrompt(stage, fact);
    stage = step.stage;
    return step.effect;
  });
  expect(seen).toEqual(effects);
  expect(stage.stage === "ended" ? stage.outcome : undefined).toEqual(outcome);
});

const reasons = [
  ["completed", "end_turn"],
  ["aborted", "cancelled"],
  ["interrupted", "cancelled"],
  ["denied", "cancelled"],
  ["refused", "refusal"],
  ["max_turns", "max_turn_requests"],
  ["budget_exhausted", "max_turn_requests"],
  ["max_output_tokens", "max_tokens"],
  ["prompt_too_long", "max_tokens"],
] as const;

test.each(reasons)("`outcomeOf` answers a turn that ended as %s with %s", (reason, stopReason) => {
  expect(outcomeOf(reason, undefined)).toEqual({ ok: true, response: { stopReason } });
});

test.each([
  ["failed", "execution_failed"],
  ["cli_lost", "cli_exited"],
  ["host_lost", "connection_lost"],
] as const)("`outcomeOf` answers a turn that ended as %s with the error %s", (reason, code) => {
  expect(outcomeOf(reason, undefined)).toMatchObject({ ok: false, error: { code } });
});
