import { randomUuid } from "../../text/uuid-of-digest.ts";
import type { LogCursor } from "../../stream/log-cursor.ts";
import type { StreamAttached } from "../../stream/stream-protocol.ts";
import type { StreamState } from "../../stream/stream-connection.ts";
import { StreamConnection } from "../../stream/stream-connection.ts";
import { connectionLost } from "../../stream/stream-link.ts";
import type { StreamConnect } from "../../stream/stream-transport.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { TeamInit, TeamParamsInput } from "../../wire/team/control-methods.ts";
import { methodEffects } from "../../wire/team/method-effects.ts";
import type { TeamResults } from "../../wire/team/method-results.ts";
import type { RetryPolicy } from "../../wire/timeouts.ts";
import { outcomeShownBy } from "./outcome-of-lost-answer.ts";
import type { TeamRequestLine, TeamStream } from "./team-protocol.ts";
import { teamProtocol } from "./team-protocol.ts";
import type { TeamItem, TeamReader, TeamRequest } from "./team-reader.ts";

export interface TeamClientOptions {
  /** Who this client is, in records of who decided. */
  readonly name?: string;
  /** How long the team may take to answer the first connection; for ever by default: it may be starting. */
  readonly answerMs?: number;
  /** For reconnecting. By default the client retries for ever. */
  readonly policy?: RetryPolicy;
  readonly onConnection?: (state: StreamState<TeamInit>) => void;
  /** Called with a line from the team that could not be used. */
  readonly onProblem?: (error: ClaudeCodeError) => void;
}

/** One try to connect to a team: for example over a Unix socket, or over a WebSocket. */
export type ConnectToTeam = StreamConnect<TeamRequestLine>;

interface Follower {
  readonly listener: (item: TeamItem) => void;
  readonly resolve: (result: { reset: boolean }) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A team, as a program sees it. When the connection breaks or the team's process is restarted, the client connects
 * again: followers get every event once and in order, and a request without an answer is sent again, unless an event has
 * shown its outcome. A message that is sent counts once. Methods whose effect is `once` (method-effects.ts) are not sent
 * twice: when the connection is lost before their answer, they fail with `connection_lost`.
 */
export class TeamClient implements TeamReader {
  readonly #stream: StreamConnection<TeamStream>;
  readonly #listeners = new Set<(item: TeamItem) => void>();
  /** Followers that start with the next `attached`. */
  #starting: Follower[] = [];

  private constructor(connect: ConnectToTeam, options: TeamClientOptions) {
    this.#stream = new StreamConnection<TeamStream>(
      connect,
      teamProtocol,
      { ...options, from: { newest: 0 } },
      {
        onAttached: (attached) => this.#attached(attached),
        onEvent: (event) => this.#tell(event),
        onLive: (delta) => this.#tell(delta),
        whenReady: () => undefined,
        onEnd: (error) => this.#end(error),
      },
    );
  }

  /** @throws what `connect` throws, or why the team refused the client; the signal's reason. */
  static async open(
    connect: ConnectToTeam,
    options: TeamClientOptions = {},
    giveUp?: AbortSignal,
  ): Promise<TeamClient> {
    const client = new TeamClient(connect, options);
    await client.#stream.open(giveUp);
    return client;
  }

  /** The team's status when the newest connection was made. */
  get init(): TeamInit {
    return this.#stream.init;
  }

  /** @throws the team's own error; `connection_lost` when the answer will not come. */
  async request<Method extends TeamRequest>(
    method: Method,
    params: TeamParamsInput<Method>,
  ): Promise<TeamResults[Method]> {
    const sent = method === "send" ? { id: randomUuid(), ...params } : params;
    const shown = outcomeShownBy(method, params, (name) => this.#stream.isOwn(name));
    const isOnce = methodEffects[method] === "once";
    const rules = { ...shown?.rules, once: isOnce, endsServer: method === "down" };
    const answer = await this.#stream.request({ method, params: sent }, rules);
    return (answer ?? shown?.result()) as TeamResults[Method];
  }

  follow(place: LogCursor, listener: (item: TeamItem) => void): Promise<{ reset: boolean }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ reset: boolean }>();
    this.#starting.push({ listener, resolve, reject });
    if (this.#stream.isStopped) this.#end(undefined);
    else this.#stream.moveTo(place);
    return promise;
  }

  /** Calls the listener with every event and every piece of speech from now on. Returns a function that ends the subscription. */
  listen(listener: (item: TeamItem) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Settles when the client was closed, or has given the connection up: then with the error. */
  get closed(): Promise<ClaudeCodeError | undefined> {
    return this.#stream.closed;
  }

  /** Closes the connection; the team goes on. Requests without an answer reject with `connection_lost`. */
  close(): Promise<void> {
    return this.#stream.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #attached({ reset, log_id: logId }: StreamAttached): void {
    if (reset) this.#tell({ type: "reset", logId });
    // At once: the event after it may be the next line.
    for (const { listener, resolve } of this.#starting) {
      this.#listeners.add(listener);
      resolve({ reset });
    }
    this.#starting = [];
  }

  #end(error: ClaudeCodeError | undefined): void {
    for (const { reject } of this.#starting) {
      reject(error ?? connectionLost("The client is closed."));
    }
    this.#starting = [];
  }

  #tell(item: TeamItem): void {
    for (const listener of this.#listeners) listener(item);
  }
}
