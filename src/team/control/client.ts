import { channel } from "../../net/channel.ts";
import type { Channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import { dial } from "../../net/dial.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import { isErrorCode } from "../../wire/error-table.ts";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import type { Parsed } from "../../wire/payload.ts";
import type { TeamDelta, TeamInit, TeamMethod, TeamParamsInput } from "../../wire/team-control.ts";
import type { TeamEvent } from "../../wire/team-events.ts";

export type TeamItem = TeamEvent | TeamDelta;

/** A place in a team's timeline. */
export interface Place {
  readonly since: number;
  readonly logId: string;
}

interface Open {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const once = { tries: 1, firstDelayMs: 0, maxDelayMs: 0, factor: 1 };

/** A client of a team's control socket. */
export class TeamClient implements AsyncDisposable {
  readonly init: TeamInit;
  readonly #lines: Channel<unknown, Parsed>;
  readonly #open = new Map<number, Open>();
  readonly #listeners = new Set<(item: TeamItem) => void>();
  readonly #closed = Promise.withResolvers<void>();
  #lastId = 0;
  #isOver = false;

  private constructor(lines: Channel<unknown, Parsed>, init: TeamInit) {
    this.#lines = lines;
    this.init = init;
  }

  /**
   * @param name who speaks, for the records of who decided.
   * @throws `team_not_running` when nobody serves the socket.
   */
  static async connect(path: string, name?: string): Promise<TeamClient> {
    const socket = await dial(path, { policy: once }).catch((cause: unknown) => {
      throw errorOf("team_not_running", `No team is running at ${path}.`, {
        data: { socket: path },
        cause,
      });
    });
    const lines = channel(socket, jsonLines);
    const reading = lines[Symbol.asyncIterator]();
    const first = await reading.next();
    if (first.done === true || !first.value.ok) {
      throw errorOf("team_not_running", `The team at ${path} did not answer.`);
    }
    const client = new TeamClient(lines, first.value.value as TeamInit);
    void client.#read(reading);
    if (name !== undefined) await client.request("hello", { client: name });
    return client;
  }

  /** @throws the team's own error; `connection_lost` when the answer will not come. */
  request<Method extends TeamMethod>(
    method: Method,
    params: TeamParamsInput<Method>,
  ): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    void this.#ask(method, params, { resolve, reject });
    return promise;
  }

  /**
   * Hears every piece of speech, and every event after the given one: once and in order. From the
   * beginning when the log is another one, or does not have that event.
   */
  follow(place: Place, listener: (item: TeamItem) => void): Promise<{ reset: boolean }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ reset: boolean }>();
    let next: number | undefined;
    this.listen((item) => {
      if (item.type !== "delta") {
        if (item.seq !== next) return;
        next += 1;
      }
      listener(item);
    });
    const begin = (result: unknown): void => {
      const { since, reset } = result as { since: number; reset: boolean };
      // At once: the event after it may be the next line.
      next = since + 1;
      resolve({ reset });
    };
    const { since, logId } = place;
    void this.#ask("attach", { since, log_id: logId }, { resolve: begin, reject });
    return promise;
  }

  /** Hears every event and every piece of speech. Gives back how to stop. */
  listen(listener: (item: TeamItem) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Settles when the connection is over. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async close(): Promise<void> {
    await this.#lines.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #ask(method: TeamMethod, params: object, open: Open): Promise<void> {
    this.#lastId += 1;
    const id = this.#lastId;
    if (this.#isOver) return open.reject(lost());
    this.#open.set(id, open);
    try {
      await this.#lines.send({ jsonrpc: "2.0", id, method, params });
    } catch (error) {
      open.reject(error);
    }
  }

  async #read(reading: AsyncIterator<Parsed>): Promise<void> {
    for (;;) {
      const next = await reading.next();
      if (next.done === true) break;
      if (next.value.ok && isRecord(next.value.value)) this.#take(next.value.value);
    }
    this.#isOver = true;
    for (const { reject } of this.#open.values()) reject(lost());
    this.#closed.resolve();
  }

  #take(message: JsonObject): void {
    if (message["jsonrpc"] === undefined) {
      for (const listener of this.#listeners) listener(message as unknown as TeamItem);
      return;
    }
    const open = this.#open.get(Number(message["id"]));
    this.#open.delete(Number(message["id"]));
    if (isRecord(message["error"])) open?.reject(errorFrom(message["error"]));
    else open?.resolve(message["result"]);
  }
}

const lost = () => errorOf("connection_lost", "The team has ended the connection.");

/** A JSON-RPC error of ours carries the code of the table in its data. */
function errorFrom({ message, data }: JsonObject): ClaudeCodeError {
  const facts = isRecord(data) ? data : {};
  const { code, hint, ...rest } = facts;
  return errorOf(
    isErrorCode(code) ? code : "internal",
    typeof message === "string" ? message : "",
    {
      data: rest,
      ...(typeof hint === "string" && { hint }),
    },
  );
}
