import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { TeamEvent } from "agent-switchboard/wire";
import { timelineOf, timelines } from "../../../../test/support/random-timelines.ts";
import { Replay } from "./replay.ts";
import type { Scene } from "./scene.ts";
import { applyTo, emptyScene } from "./scene.ts";

const foldTo = (events: readonly TeamEvent[], seq: number): Scene => {
  const scene = emptyScene();
  for (const event of events) if (event.seq <= seq) applyTo(scene, event);
  return scene;
};

/** All that a scene says, in a form that can be compared. */
const wordsOf = ({ view, lanes }: Scene) => ({
  seqs: [view.lastSeq, lanes.lastSeq, lanes.lastAt, view.costUsd],
  agents: [...view.agents],
  messages: [...view.messages],
  approvals: [...view.approvals],
  turns: [...lanes.turns],
  waits: [...lanes.waits],
  flights: [...lanes.flights],
  ticks: [...lanes.ticks],
});

const readerOf =
  (events: readonly TeamEvent[], shortBy = 0) =>
  async (after: number, limit: number) =>
    events.filter(({ seq }) => seq > after).slice(0, Math.max(1, limit - shortBy));

test("the team at any event is the fold up to it, in any order of asking", async () => {
  await fc.assert(
    fc.asyncProperty(
      timelines(1300),
      fc.array(fc.nat(1300), { minLength: 1, maxLength: 6 }),
      fc.nat(400),
      async (events, asked, shortBy) => {
        const replay = new Replay(readerOf(events, shortBy));
        for (const each of asked) {
          const seq = Math.min(each, events.length);
          expect(wordsOf(await replay.at(seq))).toEqual(wordsOf(foldTo(events, seq)));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("what was read is not read again, and a checkpoint spares the events before it", async () => {
  const events = timelineOf(
    Array.from({ length: 1600 }, () => ({ type: "said", agent: "a", text: "x" }) as const),
  );
  const asked: number[] = [];
  const replay = new Replay(async (after, limit) => {
    asked.push(after);
    return readerOf(events)(after, limit);
  });
  await replay.at(1234);
  await replay.at(1300);
  await replay.at(1100);
  await replay.at(40);
  expect(asked).toEqual([0, 500, 1000]);
});

test("progress is told, and an abandoned replay stops", async () => {
  const events = timelineOf(
    Array.from({ length: 1600 }, () => ({ type: "said", agent: "a", text: "x" }) as const),
  );
  const steps: number[] = [];
  await new Replay(readerOf(events)).at(1234, { onProgress: (seq) => steps.push(seq) });
  expect(steps).toEqual([500, 1000, 1234]);
  const gone = AbortSignal.abort(new Error("another event was chosen"));
  await expect(new Replay(readerOf(events)).at(1234, { signal: gone })).rejects.toThrow("another");
});
