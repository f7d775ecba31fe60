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

  /** @throws the team's own error. */
  async request<Method extends TeamMethod>(
    method: Method,
    params: TeamParamsInput<Method>,
  ): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#open.set(id, { resolve, reject });
    await this.#lines.send({ jsonrpc: "2.0", id, method, params });
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

  async #read(reading: AsyncIterator<Parsed>): Promise<void> {
    for (;;) {
      const next = await reading.next();
      if (next.done === true) break;
      if (next.value.ok && isRecord(next.value.value)) this.#take(next.value.value);
    }
    const lost = errorOf("connection_lost", "The team has ended the connection.");
    for (const { reject } of this.#open.values()) reject(lost);
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
