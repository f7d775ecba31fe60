import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openMemoryBus } from "../../bus/memory/open-memory-bus.ts";
import type { TeamEvent } from "../../wire/team/events.ts";
import type { TimelinePage } from "../../wire/team/read-results.ts";
import type { TimelinePageRequest } from "./timeline-page.ts";
import { readTimelinePage } from "./timeline-page.ts";
import { Timeline } from "./timeline.ts";

const isTold = (event: TeamEvent): boolean => event.type === "notice";

/** A timeline with an event for each flag; those of true are notices, with texts of this length. */
async function timelineOf(flags: readonly boolean[], isReopened: boolean, chars = 1) {
  const bus = openMemoryBus();
  const first = await Timeline.open(bus.records);
  for (const flag of flags) {
    if (flag) first.append({ type: "notice", level: "info", message: "x".repeat(chars) });
    else first.append({ type: "team_stopping" });
  }
  await first.flushed();
  // One that was just opened has nothing in memory.
  return { timeline: isReopened ? await Timeline.open(bus.records) : first, bus };
}

const seqsOf = (events: readonly TeamEvent[]): number[] => events.map(({ seq }) => seq);

test("[TEAM-10] pages of the timeline, back or forward, have every event that fits once and in order", async () => {
  const histories = fc.array(fc.boolean(), { maxLength: 700 });
  const sizes = fc.record({
    limit: fc.integer({ min: 1, max: 50 }),
    maxRead: fc.integer({ min: 1, max: 300 }),
  });
  await fc.assert(
    fc.asyncProperty(
      histories,
      sizes,
      fc.boolean(),
      async (flags, { limit, maxRead }, isReopened) => {
        const { timeline, bus } = await timelineOf(flags, isReopened);
        const expected = flags.flatMap((flag, index) => (flag ? [index + 1] : []));
        const walk = async (
          start: Omit<TimelinePageRequest, "limit">,
          next: (page: TimelinePage) => Omit<TimelinePageRequest, "limit">,
        ): Promise<number[][]> => {
          const pages: number[][] = [];
          for (let at = start; ;) {
            const page = await readTimelinePage(timeline, { ...at, limit }, isTold, maxRead);
            expect(page.events.length).toBeLessThanOrEqual(limit);
            pages.push(seqsOf(page.events));
            if (!page.more) return pages;
            at = next(page);
          }
        };
        const back = await walk({}, ({ before }) => ({ before }));
        expect(back.toReversed().flat()).toEqual(expected);
        const forward = await walk({ after: 0 }, ({ after }) => ({ after }));
        expect(forward.flat()).toEqual(expected);
        const middle = Math.ceil(flags.length / 2);
        const part = await walk({ after: 0, before: middle }, ({ after }) => ({
          after,
          before: middle,
        }));
        expect(part.flat()).toEqual(expected.filter((seq) => seq < middle));
        await bus.close();
      },
    ),
    { numRuns: 40 },
  );
});

test("[TEAM-10] a page's cursors go on in both directions, also beyond the newest event", async () => {
  const { timeline } = await timelineOf([true, true, false, true, true], true);
  const read = (request: Partial<TimelinePageRequest>) =>
    readTimelinePage(timeline, { limit: 2, ...request }, isTold);
  const newest = await read({});
  expect(newest).toMatchObject({ more: true, before: 4, after: 5, log_id: timeline.logId });
  const older = await read({ before: newest.before });
  expect(seqsOf(older.events)).toEqual([1, 2]);
  expect(older).toMatchObject({ more: false, before: 1, after: 3 });
  expect(await read({ after: newest.after })).toMatchObject({ events: [], more: false, after: 5 });
  expect(await read({ after: 9 })).toMatchObject({ events: [], more: false, before: 10, after: 9 });
  expect(await read({ before: 1 })).toMatchObject({ events: [], more: false, before: 1, after: 0 });
  expect(await read({ before: 0 })).toMatchObject({ events: [], more: false });
  expect((await read({ before: 99 })).after).toBe(5);
});

test("[TEAM-10] a page of large events is shorter than its limit, and never without an event", async () => {
  const { timeline } = await timelineOf([true, true, true], true, 3_000_000);
  const page = await readTimelinePage(timeline, { limit: 3 }, isTold);
  expect(page).toMatchObject({ events: [{ seq: 3 }], more: true, before: 3 });
  const next = await readTimelinePage(timeline, { limit: 3, after: 0 }, isTold);
  expect(next).toMatchObject({ events: [{ seq: 1 }], more: true, after: 1 });
});

test("[TEAM-10] a page of a new timeline is empty", async () => {
  const { timeline } = await timelineOf([], false);
  const page = await readTimelinePage(timeline, { limit: 5 }, isTold);
  expect(page).toMatchObject({ events: [], more: false, before: 1, after: 0 });
});
