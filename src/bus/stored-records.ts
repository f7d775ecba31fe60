import { errorOf } from "../wire/errors.ts";
import { pageOf, pageRequest } from "./page-cursor.ts";
import type { Page, RecordQuery, Records, StoredRecord, Write } from "./records.ts";
import type { BusCore, RecordRow } from "./store.ts";

export class StoredRecords implements Records {
  readonly #bus: BusCore;

  constructor(bus: BusCore) {
    this.#bus = bus;
  }

  async get(collection: string, key: string): Promise<StoredRecord | undefined> {
    const row = await this.#bus.run({ kind: "recordGet", collection, key });
    return row && recordOf(row);
  }

  async query(asked: RecordQuery): Promise<Page<StoredRecord>> {
    const page = pageRequest(asked, "oldest");
    const { collection, where = {}, since: sinceMs, until: untilMs } = asked;
    const query = { collection, where, sinceMs, untilMs };
    return pageOf(await this.#bus.run({ kind: "recordQuery", query, page }), page, recordOf);
  }

  async write(
    writes: readonly Write[],
    { once }: { once?: string } = {},
  ): Promise<{ applied: boolean }> {
    if (once === "")
      throw errorOf("invalid_params", "once: expected a name, received an empty string.");
    const nowMs = this.#bus.nowMs();
    return { applied: await this.#bus.run({ kind: "write", writes, once, nowMs }) };
  }
}

function recordOf({ collection, key, value, fields, at }: RecordRow): StoredRecord {
  return { collection, key, value, fields, at };
}
