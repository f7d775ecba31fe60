import * as z from "zod";
import type { Bus } from "../../bus/bus.ts";
import { pagesOf } from "../../bus/read-all-pages.ts";
import type { Records, Write } from "../../bus/records.ts";
import type { JsonObject } from "../../wire/json.ts";
import { TurnPlaceSchema } from "../../wire/team/events.ts";
import type { CCMessage } from "../../wire/team/messages.ts";

/** What the bus has of a message and the timeline may not have yet. */
const COLLECTION = "unpublished";

const SettledSchema = z.discriminatedUnion("step", [
  z.object({ step: z.enum(["seen", "returned"]), turn: TurnPlaceSchema.optional() }),
  z.object({ step: z.literal("withdrawn"), reason: z.string() }),
]);

/** How a message left its inbox for good. */
export type Settled = z.infer<typeof SettledSchema>;

const RowSchema = z.discriminatedUnion("kind", [
  /** It is durable. `by` is the client through which a person said it to the session directly. */
  z.object({ kind: z.literal("sent"), id: z.string(), by: z.string().optional() }),
  /** It has left its inbox. */
  z.object({ kind: z.literal("settled"), id: z.string(), settled: SettledSchema }),
  /** The conversation has it, and it is still in its inbox. It is published when it leaves. */
  z.object({ kind: z.literal("arrived"), id: z.string(), how: z.enum(["seen", "returned"]) }),
]);

/**
 * One row, written in one step with the change that it reports. If a process is killed before it has published the
 * change, the next process does.
 */
type UnpublishedRow = z.infer<typeof RowSchema>;

const keyOf = ({ kind, id }: Pick<UnpublishedRow, "kind" | "id">): string => `${kind}/${id}`;

export const writeRow = (row: UnpublishedRow): Write => ({
  kind: "put",
  collection: COLLECTION,
  key: keyOf(row),
  value: row as JsonObject,
});

export const removeRow = (row: Pick<UnpublishedRow, "kind" | "id">): Write => ({
  kind: "remove",
  collection: COLLECTION,
  key: keyOf(row),
});

/** Rows of earlier processes, oldest first, with their messages. */
export async function* unpublishedRows(
  bus: Pick<Bus, "get" | "records">,
): AsyncGenerator<{ row: UnpublishedRow; message: CCMessage; settledAt: number | null }> {
  await adoptOldRows(bus.records);
  const oldest = { collection: COLLECTION, order: "oldest" } as const;
  for await (const rows of pagesOf((from) => bus.records.query({ ...oldest, ...from }))) {
    for (const { value } of rows) {
      const row = RowSchema.safeParse(value);
      const stored = row.success ? await bus.get(row.data.id) : undefined;
      if (row.success && stored) yield { row: row.data, ...stored };
    }
  }
}

/** Earlier versions had a collection for each kind, with the message's id as the key. */
const oldCollections = [
  ["untold", (id: string, value: object) => ({ ...value, kind: "sent", id })],
  ["untold-steps", (id: string, value: object) => ({ kind: "settled", id, settled: value })],
  ["returned", (id: string) => ({ kind: "arrived", id, how: "returned" })],
] as const;

async function adoptOldRows(records: Records): Promise<void> {
  for (const [collection, toRow] of oldCollections) {
    const oldest = { collection, order: "oldest" } as const;
    // The rows that were read are removed, so the first page is always the next one.
    for (;;) {
      const { items } = await records.query(oldest);
      if (items.length === 0) break;
      await records.write(
        items.flatMap(({ key, value }): Write[] => {
          const row = RowSchema.safeParse(toRow(key, value));
          const adopted = row.success ? [writeRow(row.data)] : [];
          return [...adopted, { kind: "remove", collection, key }];
        }),
      );
    }
  }
}
