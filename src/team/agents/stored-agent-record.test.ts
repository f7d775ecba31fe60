import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteBus } from "../../bus/sqlite/open-sqlite-bus.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { AgentRecord } from "./stored-agent-record.ts";

test("AgentRecord reads the mark of a run from a note of an earlier version, and keeps the rest of the note", async () => {
  const bus = await openSqliteBus(join(tempDir(), "bus.db"));
  onTestFinished(() => bus.close());
  const { records } = bus;
  const mark = { process: "1-2-3", policy: "p" };
  const value = { ...mark, session_id: "s", since: 7 };
  await records.write([{ kind: "put", collection: "agents", key: "boss", value }]);
  const record = new AgentRecord(records, "boss");
  await record.load();
  expect(record.mark).toEqual(mark);
  expect(record.note).toMatchObject({ session_id: "s", since: 7 });

  await record.save({ run: { place: "elsewhere" } });
  const again = new AgentRecord(records, "boss");
  await again.load();
  expect(again.mark).toEqual({ place: "elsewhere" });
  expect(again.note.since).toBe(7);
});
