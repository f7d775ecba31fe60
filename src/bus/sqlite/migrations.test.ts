import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { makeMessage } from "../../../test/support/bus/messages.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { toStoredMessage } from "../stored-message.ts";
import { openDatabase } from "./open-database-file.ts";
import { deadList } from "./dead-letters.ts";
import { migrate } from "./migrations.ts";
import { get } from "./read-messages.ts";
import { send } from "./send-message.ts";
import { settle } from "./settle-messages.ts";
import { OpenDatabase } from "./database-in-use.ts";

const openTables = (path: string): OpenDatabase => {
  const tables = new OpenDatabase(openDatabase(path), 5);
  onTestFinished(() => tables.close());
  return tables;
};

test("a migrated bus can settle the messages that waited, and only those", () => {
  const path = join(tempDir(), "bus.db");
  const old = new DatabaseSync(path);
  migrate(old, 2);
  old.exec(`
    INSERT INTO messages (seq, id, sender, recipient, type, root_id, sent_at, body)
    VALUES (1, 'one', 'ann', 'bob', 'info', 'one', 0, '{}'), (2, 'two', 'ann', 'bob', 'info', 'two', 0, '{}');
    INSERT INTO inbox (recipient, line, place, seq, sender, bytes, attempts)
    VALUES ('bob', 4, 1, 1, 'ann', 2, 0), ('bob', 4, 2, 2, 'ann', 2, 3);
  `);
  old.close();
  const tables = openTables(path);
  const ack = { kind: "ack" } as const;
  expect(
    settle(tables, { kind: "settle", id: "two", token: "t", how: ack, writes: [], nowMs: 7 }),
  ).toBe(true);
  expect(get(tables, { kind: "get", id: "one" })).toMatchObject({ state: "waiting", attempts: 0 });
  expect(get(tables, { kind: "get", id: "two" })).toMatchObject({ state: "done", attempts: 3 });
});

test("a migrated bus lists dead letters in the order of their deaths", () => {
  const path = join(tempDir(), "bus.db");
  const old = new DatabaseSync(path);
  migrate(old, 3);
  old.exec(`
    INSERT INTO messages (seq, id, sender, recipient, type, root_id, sent_at, body)
    VALUES (1, 'one', 'ann', 'bob', 'info', 'one', 0, '1'), (2, 'two', 'ann', 'bob', 'info', 'two', 0, '2'),
      (3, 'three', 'ann', 'bob', 'info', 'three', 0, '3');
    INSERT INTO dead (seq, cause, why, attempts, at, fate, resent_as)
    VALUES (1, 'expired', 'late', 0, 9, 'open', NULL), (2, 'refused', 'no', 1, 7, 'open', NULL),
      (3, 'refused', 'no', 1, 8, 'resent', 'four');
  `);
  old.close();
  const tables = openTables(path);
  const page = { newestFirst: true, limit: 9, after: undefined };
  const listed = (all: boolean) => deadList(tables, { kind: "deadList", all, page }).rows;
  expect(listed(true).map(({ body }) => body)).toEqual(["1", "3", "2"]);
  expect(listed(false)).toMatchObject([
    { body: "1", cause: "expired", why: "late", attempts: 0, diedAt: 9 },
    { body: "2", cause: "refused", why: "no", attempts: 1, diedAt: 7 },
  ]);
});

test("send makes three pages durable: the message's, its id's and the inbox's", () => {
  const FRAME_BYTES = 4_096 + 24;
  const path = join(tempDir(), "bus.db");
  const tables = openTables(path);
  const sendOne = (): void => {
    const letter = toStoredMessage(makeMessage(), 0);
    tables.transact(() => send(tables, { kind: "send", letter, writes: [], nowMs: 0 }));
  };
  sendOne();
  const before = statSync(`${path}-wal`).size;
  sendOne();
  expect((statSync(`${path}-wal`).size - before) / FRAME_BYTES).toBe(3);
});
