import * as fc from "fast-check";
import { expect, test } from "vitest";
import { filteredPage } from "./read-filtered-page.ts";
import { openMemoryBus } from "./memory/open-memory-bus.ts";

test("filteredPage brings every record that passes, once and in order, page by page", async () => {
  const flags = fc.array(fc.boolean(), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(flags, fc.integer({ min: 1, max: 9 }), async (passes, limit) => {
      const bus = openMemoryBus();
      const { records } = bus;
      for (const [index, pass] of passes.entries()) {
        await records.write([{ kind: "append", collection: "c", value: { index, pass } }]);
      }
      const found: unknown[] = [];
      let cursor: string | undefined;
      do {
        const page = await filteredPage({
          read: (from) => records.query({ collection: "c", order: "newest", ...from }),
          keep: ({ value }) => (value["pass"] === true ? value["index"] : undefined),
          limit,
          cursor,
        });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...page.items);
        cursor = page.cursor;
      } while (cursor !== undefined);
      const expected = passes.flatMap((pass, index) => (pass ? [index] : []));
      expect(found).toEqual(expected.toReversed());
      await bus.close();
    }),
    { numRuns: 50 },
  );
});

test("filteredPage returns an empty page with a cursor when it has read much and nothing has passed", async () => {
  let reads = 0;
  const read = async () => ({ items: [(reads += 1)], cursor: String(reads) });
  const page = await filteredPage({ read, keep: () => undefined, limit: 5 });
  expect(page).toEqual({ items: [], cursor: "100" });
  expect(reads).toBe(100);
});
