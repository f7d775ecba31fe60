import { DatabaseSync } from "node:sqlite";
import { Replica } from "../../../src/bus/changelog/replica.ts";
import { openJetStream } from "../../../src/bus/jetstream/open-jetstream.ts";

interface MessageRow {
  seq: number;
  id: string;
  sender: string;
  text: string;
}

export interface LogVerdict {
  messages: number;
  entries: number;
  offices: number;
  problems: string[];
}

/**
 * Reads the whole log, as a replica does, which checks its chain; and looks at each entry: who wrote it, and may he? Then whether
 * each acknowledged message is there, once, in the order of its sender.
 */
export async function judgeLog(
  servers: readonly string[],
  team: string,
  acknowledged: readonly string[],
): Promise<LogVerdict> {
  const { stream } = await openJetStream({ servers, team }, undefined);
  const db = new DatabaseSync(":memory:");
  const problems: string[] = [];
  try {
    const replica = new Replica(db, stream.logId);
    const end = await endOf(stream);
    const found: MessageRow[] = [];
    let [offices, epoch, pid, read] = [0, 0, "", 0];
    db.exec("BEGIN");
    for await (const entry of stream.read(0, end)) {
      read += 1;
      replica.take(entry);
      if (entry.kind === "office") {
        if (entry.epoch <= epoch) problems.push(`entry ${entry.seq}: epoch ${entry.epoch} again`);
        const { writer } = JSON.parse(Buffer.from(entry.data).toString()) as { writer: string };
        [offices, epoch, pid] = [offices + 1, entry.epoch, writer.split(" ").at(-1) ?? ""];
        continue;
      }
      if (entry.epoch !== epoch) {
        problems.push(`entry ${entry.seq} of office ${entry.epoch} behind office ${epoch}`);
      }
      const rows = db
        .prepare(
          "SELECT seq, id, sender, body ->> '$.content' AS text FROM messages WHERE seq > ? ORDER BY seq",
        )
        .all(found.at(-1)?.seq ?? 0) as unknown as MessageRow[];
      for (const row of rows) {
        if (row.text.split(" ")[0] !== pid)
          problems.push(`entry ${entry.seq}: not by process ${pid}`);
      }
      found.push(...rows);
    }
    db.exec("COMMIT");
    problems.push(...judgeMessages(db, found, acknowledged));
    return { messages: found.length, entries: read, offices, problems };
  } catch (error) {
    return { messages: 0, entries: 0, offices: 0, problems: [...problems, String(error)] };
  } finally {
    db.close();
    await stream.close();
  }
}

function judgeMessages(
  db: DatabaseSync,
  found: readonly MessageRow[],
  acknowledged: readonly string[],
): string[] {
  const problems: string[] = [];
  const ids = new Set(found.map(({ id }) => id));
  const lost = acknowledged.filter((id) => !ids.has(id));
  if (lost.length > 0) problems.push(`${lost.length} acknowledged messages are lost`);
  for (const [sender, rows] of Map.groupBy(found, (row) => row.sender)) {
    const numbers = rows.map(({ text }) => Number(text.split(" ")[1]));
    const inOrder = numbers.every((number, index) => number === index + 1);
    if (!inOrder) problems.push(`the messages of ${sender} are not 1, 2, 3 and so on`);
    const counted = db
      .prepare(
        "SELECT value ->> '$.sent' AS sent FROM records WHERE collection = 'counts' AND key = ?",
      )
      .get(sender) as { sent: number } | undefined;
    if (counted?.sent !== rows.length) {
      problems.push(`${sender} has ${rows.length} messages and counted ${counted?.sent}`);
    }
  }
  return problems;
}

/** The log is quiet: the end that all servers agree on for a second. */
async function endOf(stream: { approximateEnd(): Promise<number> }): Promise<number> {
  let [end, same] = [0, 0];
  while (same < 5) {
    const next = await stream.approximateEnd();
    same = next === end ? same + 1 : 0;
    end = next;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return end;
}
