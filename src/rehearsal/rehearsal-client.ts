import { fromWire } from "../wire/error-wire.ts";
import { errorOf } from "../wire/errors.ts";
import type { JsonObject } from "../wire/json.ts";
import type { JournalEntry, JournalEvent, JournalRequest } from "./journal.ts";
import { isFailure } from "./journal.ts";
import { readEvents } from "./read-journal.ts";

/** What a running rehearsal reports about itself. */
export interface RehearsalStatus {
  rehearsal: true;
  run: string;
  pid: number;
  script: string;
  /** Number of the newest event. */
  events: number;
  failures: number;
}

interface Failure {
  error: { code: string; message: string; hint: string; data?: JsonObject };
}

/** Talks to a running rehearsal, in this process or another: its journal, its events, its script. */
export class RehearsalClient {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async status(): Promise<RehearsalStatus> {
    return (await this.#get("")).json() as Promise<RehearsalStatus>;
  }

  /** The requests so far, or those after number `since`. */
  async journal(since = 0): Promise<JournalEntry[]> {
    const answer = await this.#get(`/journal?since=${since}`);
    return ((await answer.json()) as { entries: JournalEntry[] }).entries;
  }

  /** Requests that the script had no answer for. */
  async failures(): Promise<JournalEntry[]> {
    return (await this.journal()).filter(isFailure);
  }

  /** Plays another script, given as YAML, from its beginning. Rejects with `script_invalid`. */
  async setScript(yamlText: string): Promise<void> {
    const answer = await fetch(`${this.url}/rehearsal/script`, { method: "POST", body: yamlText });
    if (!answer.ok) throw fromWire(((await answer.json()) as Failure).error);
  }

  /** Every event after number `since`, the past first, until the signal aborts or the rehearsal ends. */
  async *events(
    options: { since?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<JournalEvent> {
    const answer = await this.#get(`/events?since=${options.since ?? 0}`, options.signal);
    if (answer.body) yield* readEvents(answer.body);
  }

  /**
   * The first matching event, past or future; `since` skips events up to that number. Rejects with `timeout`, or with
   * `connection_lost` when the rehearsal ends first.
   */
  async waitForEvent(
    fits: (event: JournalEvent) => boolean,
    timeoutMs: number,
    since = 0,
  ): Promise<JournalEvent> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      for await (const event of this.events({ since, signal })) if (fits(event)) return event;
    } catch (cause) {
      if (!signal.aborted) throw cause;
      throw errorOf("timeout", `No event of the rehearsal matched within ${timeoutMs} ms.`, {
        cause,
      });
    }
    throw errorOf(
      "connection_lost",
      `The rehearsal at ${this.url} ended while an event was awaited.`,
    );
  }

  /** The same for requests: resolves when a matching one has arrived. */
  async waitForRequest(
    fits: (request: JournalRequest) => boolean,
    timeoutMs: number,
    since = 0,
  ): Promise<JournalRequest> {
    let found: JournalRequest | undefined;
    const isIt = (event: JournalEvent): boolean => {
      if (event.type === "request" && fits(event.request)) found = event.request;
      return found !== undefined;
    };
    await this.waitForEvent(isIt, timeoutMs, since);
    return found as JournalRequest;
  }

  async #get(path: string, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.url}/rehearsal${path}`, signal ? { signal } : {});
  }
}
