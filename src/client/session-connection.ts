import type { CommandRules } from "../stream/open-commands.ts";
import type { LogCursor, Newest } from "../stream/log-cursor.ts";
import type { StreamAttached } from "../stream/stream-protocol.ts";
import type { StreamState } from "../stream/stream-connection.ts";
import { StreamConnection } from "../stream/stream-connection.ts";
import { randomUuid } from "../text/uuid-of-digest.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import type { SessionAnswer, SessionAnswerOf } from "../wire/session/answers.ts";
import type { Choices } from "../wire/session/choices.ts";
import type { SessionCommandInput } from "../wire/session/commands.ts";
import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
import type { ConnectedClient } from "../wire/session/shared-schemas.ts";
import type { RetryPolicy } from "../wire/timeouts.ts";
import { ItemQueue } from "./item-queue.ts";
import { KnownSnapshots } from "./known-snapshots.ts";
import type { QueuedItem, ReadPlace } from "./read-position.ts";
import { Reading } from "./read-position.ts";
import type { SessionItem } from "./session-item.ts";
import type { CheckMessage, SessionStream } from "./session-protocol.ts";
import { sessionProtocol, trustHost } from "./session-protocol.ts";
import { OwnTools } from "./own-tools.ts";
import type { Connect } from "./transport.ts";

type Init = SessionAnswerOf<"init">;

export type ConnectionState = StreamState<Init>;

export interface ClientOptions {
  /** Shown to other clients, as in "approved by". */
  readonly name?: string;
  /**
   * The last known event; 0 for none; "latest" for new events only; `newest` for at most so many of the newest events.
   * `place` says which event came before them.
   */
  readonly since?: number | "latest" | Newest;
  /** The log and the start of the host that `since` belongs to. */
  readonly logId?: string;
  readonly epoch?: number;
  /** How long the session may take to answer the first connection. */
  readonly answerMs?: number;
  /** For reconnecting. By default the client retries for ever. */
  readonly policy?: RetryPolicy;
  readonly onConnection?: (state: ConnectionState) => void;
  /** Called with the connected clients when one came, went or took another name. */
  readonly onClients?: (clients: readonly ConnectedClient[]) => void;
  /** Called when there are other models, modes or slash commands, as when the CLI has started. */
  readonly onChoices?: (choices: Choices) => void;
  /** Called with a line from the session that could not be used. */
  readonly onProblem?: (error: ClaudeCodeError) => void;
  /**
   * Checks each line from the session. By default `connectSession` checks every field, and `SessionClient.open` only what
   * the stream depends on; `parseSessionMessage` of agent-switchboard/wire checks every field there too.
   */
  readonly check?: CheckMessage;
}

/** How many events may wait for the reader before the session is slowed down. */
const MAX_WAITING = 10_000;

/** A host answers at once, but its machine may be busy. */
const ANSWER_MS = 30_000;

const cursorOf = (
  since: number | "latest" | Newest,
  logId: string | undefined,
  epoch: number | undefined,
): LogCursor | Newest => {
  if (since === "latest") return { newest: 0 };
  return typeof since === "number" ? { since, logId, epoch } : since;
};

/** The stream of one session: its events for one reader, and its commands. */
export class SessionConnection {
  readonly items = new ItemQueue<QueuedItem, SessionItem>((item) => this.#give(item));
  readonly #stream: StreamConnection<SessionStream>;
  readonly #snapshots: KnownSnapshots;
  #reading: Reading | undefined;
  #openTurn: string | undefined;
  #name: string | undefined;
  #clients: readonly ConnectedClient[] = [];
  /** What a person can choose from, as told since the newest `init`. */
  #choices: { readonly of: Init; readonly choices: Choices } | undefined;
  readonly #onClients: ClientOptions["onClients"];
  readonly #onChoices: ClientOptions["onChoices"];
  /** The tools that this client offers. */
  readonly tools: OwnTools;

  constructor(connect: Connect, options: ClientOptions) {
    const { name, since = 0, logId, epoch, answerMs = ANSWER_MS } = options;
    const { onClients, onChoices, policy, onConnection, onProblem, check = trustHost } = options;
    this.#onClients = onClients;
    this.#onChoices = onChoices;
    this.tools = new OwnTools((command, rules) => this.request(command, rules), onProblem);
    this.#snapshots = new KnownSnapshots(since === 0);
    this.#stream = new StreamConnection<SessionStream>(
      connect,
      sessionProtocol(check),
      {
        answerMs,
        policy,
        onConnection,
        onProblem,
        name: name ?? `client-${randomUuid().slice(0, 8)}`,
        from: cursorOf(since, logId, epoch),
      },
      {
        onAttached: (attached, isFresh) => {
          this.#name = attached.client;
          // The list of an earlier connection may be old.
          this.#clients = this.#stream.init.clients ?? [];
          this.#attached(attached, isFresh);
          this.tools.attached();
        },
        onLost: () => this.tools.lost(),
        onEvent: (event) => this.#receive(event),
        onLive: (item) => {
          if (item.type === "clients") this.#setClients(item.clients);
          else if (item.type === "choices") this.#setChoices(item);
          else this.tools.take(item);
        },
        whenReady: () => (this.items.length < MAX_WAITING ? undefined : this.#whenRead()),
        onEnd: (error) => {
          this.items.end(error);
          this.tools.close();
        },
      },
    );
  }

  get init(): Init {
    return this.#stream.init;
  }

  /** The name under which others see this client; undefined before the first connection. */
  get name(): string | undefined {
    return this.#name;
  }

  /** The clients that are connected, as far as this one was told. */
  get clients(): readonly ConnectedClient[] {
    return this.#clients;
  }

  /** What a person can choose from, as far as this client was told. */
  get choices(): Choices {
    const { init } = this;
    const newest = this.#choices?.of === init ? this.#choices.choices : init;
    const { models, modes, slash_commands } = newest;
    return { models, modes, slash_commands };
  }

  /** Settles when no more events will come. Never rejects. */
  get closed(): Promise<ClaudeCodeError | undefined> {
    return this.#stream.closed;
  }

  /** How far the reader has read. */
  get place(): ReadPlace {
    if (!this.#reading) throw errorOf("internal", "The client is not connected yet.");
    return this.#reading.place;
  }

  /** The running turn, as far as the received events show. */
  get openTurn(): string | undefined {
    return this.#openTurn;
  }

  /** Whether a name in an event is this client's. */
  isOwn(name: string | undefined): boolean {
    return this.#stream.isOwn(name);
  }

  /** Resolves when the session has accepted us. A suspended host, or no host, never does. */
  open(giveUp?: AbortSignal): Promise<void> {
    return this.#stream.open(giveUp);
  }

  request(
    command: SessionCommandInput,
    rules?: CommandRules<SessionEvent>,
  ): Promise<SessionAnswer | undefined> {
    const settled = this.#stream.request(command, rules);
    // A slow reader must not keep the answer from being read.
    this.items.wake();
    return settled;
  }

  close(): Promise<void> {
    this.items.end();
    return this.#stream.close();
  }

  #attached({ reset, since, log_id: logId, epoch = 0 }: StreamAttached, isFresh: boolean): void {
    const isFirst = this.#reading === undefined;
    if (reset) this.#snapshots.forget();
    // A fresh reader has nothing to reset.
    if (reset && !isFresh) this.#openTurn = undefined;
    this.#reading ??= new Reading({ since: reset ? 0 : since, logId, epoch });
    if (reset && !isFresh) this.items.push({ type: "reset", logId, epoch });
    else if (!isFirst) this.items.push({ type: "next_start", logId, epoch });
  }

  #receive(event: SessionEvent): void {
    if (this.#snapshots.repeats(event)) return;
    if (event.type === "turn_started") this.#openTurn = event.turn_id;
    else if (event.type === "done") this.#openTurn = undefined;
    else if (event.type === "closing" && this.#isLast(event)) this.#stream.expectEnd();
    this.items.push(event);
  }

  #setClients(clients: readonly ConnectedClient[]): void {
    this.#clients = clients;
    this.#onClients?.(clients);
  }

  #setChoices(choices: Choices): void {
    this.#choices = { of: this.init, choices };
    this.#onChoices?.(this.choices);
  }

  #give(item: QueuedItem): item is SessionItem {
    this.#reading?.take(item);
    return item.type !== "next_start";
  }

  /**
   * After a signal the session may be started again at the same address. A `closing` that was in the log before we
   * connected belongs to an earlier process.
   */
  #isLast({ reason, seq }: SessionEventOf<"closing">): boolean {
    return reason !== "signal" && seq > this.init.last_seq;
  }

  async #whenRead(): Promise<void> {
    while (this.items.length >= MAX_WAITING && !this.#stream.hasOpenCommands) {
      if (this.#stream.isStopped) return;
      await this.items.taken();
    }
  }
}
