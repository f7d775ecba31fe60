import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeMessage } from "../../../test/support/bus/messages.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { toStoredMessage } from "../stored-message.ts";
import type { HistoryRows } from "../store.ts";
import { openDatabase } from "./open-database-file.ts";
import { history } from "./read-messages.ts";
import { send } from "./send-message.ts";
import { OpenDatabase } from "./database-in-use.ts";

const openTables = (path = join(tempDir(), "bus.db")): OpenDatabase => {
  const tables = new OpenDatabase(openDatabase(path), 5);
  onTestFinished(() => tables.close());
  return tables;
};

function sendAll(tables: OpenDatabase, count: number): void {
  tables.transact(() => {
    for (let n = 0; n < count; n += 1) {
      const letter = toStoredMessage(makeMessage({ from: n % 10 === 0 ? "rare" : "often" }), 0);
      send(tables, { kind: "send", letter, writes: [], nowMs: n });
    }
  });
}

const seqsOf = (tables: OpenDatabase, filter: HistoryRows, limit = 10_000): number[] => {
  const page = { newestFirst: true, limit, after: undefined };
  return tables
    .transact(() => history(tables, { kind: "history", filter, page }))
    .rows.map(({ seq }) => seq);
};

const upTo = (tables: OpenDatabase): number | undefined =>
  tables.all<{ up_to: number }>("SELECT up_to FROM catalogued")[0]?.up_to;

test("the history index lags behind sends in batches, and is complete when it is read", () => {
  const tables = openTables();
  sendAll(tables, 5_000);
  expect(upTo(tables)).toBe(4_096);
  const rare = Array.from({ length: 500 }, (_, n) => 4_991 - n * 10);
  expect(seqsOf(tables, { sender: "rare" })).toEqual(rare);
  expect(upTo(tables)).toBe(5_000);
  expect(seqsOf(tables, { sender: "rare", recipient: "bob", type: "info" }, 3)).toEqual([]);
});

test("the history index adds again what a failed transaction had added", () => {
  const tables = openTables();
  sendAll(tables, 20);
  const failed = (): void =>
    tables.transact(() => {
      history(tables, {
        kind: "history",
        filter: { sender: "rare" },
        page: { newestFirst: true, limit: 1, after: undefined },
      });
      throw new Error("the disk is full");
    });
  expect(failed).toThrow("the disk is full");
  expect(seqsOf(tables, { sender: "rare" })).toEqual([11, 1]);
});

test("the history index lists all messages of a bus of an older version", () => {
  const path = join(tempDir(), "bus.db");
  const first = new OpenDatabase(openDatabase(path), 5);
  sendAll(first, 30);
  first.run("DELETE FROM catalogue");
  first.run("UPDATE catalogued SET up_to = 0");
  first.close();
  expect(seqsOf(openTables(path), { sender: "rare" })).toEqual([21, 11, 1]);
});
