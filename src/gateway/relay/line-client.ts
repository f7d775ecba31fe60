import type { Channel } from "../../net/channel.ts";
import { channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import { dial } from "../../net/connect-with-retries.ts";
import { errorOf } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import type { Parsed } from "../../wire/json-payload.ts";
import type { RetryPolicy } from "../../wire/timeouts.ts";

const ANSWER_MS = 10_000;
export const once: RetryPolicy = { tries: 1, firstDelayMs: 0, maxDelayMs: 0, factor: 1 };

/** A short connection to a session or a team: its first line, then one question after the other. */
export class LineClient implements AsyncDisposable {
  readonly #lines: Channel<unknown, Parsed>;
  readonly #incoming: AsyncIterator<Parsed>;
  readonly first: JsonObject;

  private constructor(
    lines: Channel<unknown, Parsed>,
    incoming: AsyncIterator<Parsed>,
    first: JsonObject,
  ) {
    this.#lines = lines;
    this.#incoming = incoming;
    this.first = first;
  }

  /** @throws as `dial` does; `timeout` or `connection_lost` when the other side says nothing. */
  static async open(path: string): Promise<LineClient> {
    const lines = channel(await dial(path, { policy: once, timeoutMs: ANSWER_MS }), jsonLines);
    const incoming = lines[Symbol.asyncIterator]();
    try {
      return new LineClient(lines, incoming, await within(nextOf(incoming), lines));
    } catch (error) {
      await lines.close();
      throw error;
    }
  }

  /** Sends a line, and returns the first one that answers it. @throws `timeout`; `connection_lost`. */
  async ask(line: object, isAnswer: (line: JsonObject) => boolean): Promise<JsonObject> {
    await this.#lines.send(line);
    return within(this.#until(isAnswer), this.#lines);
  }

  async #until(isAnswer: (line: JsonObject) => boolean): Promise<JsonObject> {
    for (;;) {
      const line = await nextOf(this.#incoming);
      if (isAnswer(line)) return line;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#lines.close();
  }
}

async function nextOf(incoming: AsyncIterator<Parsed>): Promise<JsonObject> {
  const next = await incoming.next();
  if (next.done === true)
    throw errorOf("connection_lost", "The connection ended without an answer.");
  if (!next.value.ok) throw next.value.error;
  if (!isRecord(next.value.value)) throw errorOf("invalid_request", "The answer is not an object.");
  return next.value.value;
}

/** Closing ends the wait: the answer then fails with the connection. */
async function within<Result>(
  work: Promise<Result>,
  lines: Channel<unknown, Parsed>,
): Promise<Result> {
  const timer = setTimeout(() => void lines.close(), ANSWER_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
