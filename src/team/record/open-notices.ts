import { pagesOf } from "../../bus/read-all-pages.ts";
import type { Records, Write } from "../../bus/records.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { TeamEvent, TeamEventOf } from "../../wire/team/events.ts";

/** By id: warnings and errors that nobody has acknowledged. */
const OPEN = "notices";

type Notice = TeamEventOf<"notice">;

/** A notice that people should act on stays open until one of them acknowledges it. */
export const writesOfNotice = (notice: Notice): Write[] =>
  notice.id === undefined || notice.level === "info"
    ? []
    : [{ kind: "put", collection: OPEN, key: notice.id, value: notice as unknown as JsonObject }];

/** The notices that nobody has acknowledged. */
export class OpenNotices {
  readonly #records: Records;
  readonly #ids = new Set<string>();

  private constructor(records: Records) {
    this.#records = records;
  }

  static async open(records: Records): Promise<OpenNotices> {
    const notices = new OpenNotices(records);
    for await (const rows of pagesOf((from) => records.query({ collection: OPEN, ...from }))) {
      for (const { key } of rows) notices.#ids.add(key);
    }
    return notices;
  }

  get count(): number {
    return this.#ids.size;
  }

  /** To be called with every event that is published. */
  hear(event: TeamEvent): void {
    if (event.type === "notice" && writesOfNotice(event).length > 0) this.#ids.add(event.id ?? "");
    if (event.type === "notice_acknowledged") this.#ids.delete(event.id);
  }

  /** Newest first. */
  async list(limit: number): Promise<Notice[]> {
    const { items } = await this.#records.query({ collection: OPEN, order: "newest", limit });
    return items.map(({ value }) => value as unknown as Notice);
  }

  /**
   * What has to be written when it is acknowledged, together with the event that reports it. Undefined when it is not
   * open, so nobody can acknowledge it twice.
   */
  take(id: string): Write[] | undefined {
    if (!this.#ids.delete(id)) return undefined;
    return [{ kind: "remove", collection: OPEN, key: id }];
  }
}
