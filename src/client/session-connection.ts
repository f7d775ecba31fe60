import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import type { SessionAnswer } from "../wire/session-answers.ts";
import type { SessionCommandInput } from "../wire/session-commands.ts";
import type { SessionEvent, SessionEventOf } from "../wire/session-events.ts";
import type { RetryPolicy } from "../wire/timing.ts";
import { delayAfter, pause, reconnectPolicy } from "./back-off.ts";
import { ItemQueue } from "./item-queue.ts";
import { KnownSnapshots } from "./known-snapshots.ts";
import type { CommandRules } from "./open-commands.ts";
import { OpenCommands } from "./open-commands.ts";
import type { SessionItem } from "./session-item.ts";
import type { QueuedItem, ReadPlace } from "./reading.ts";
import { Reading } from "./reading.ts";
import type { Attached, Init, LinkHandlers, Place } from "./session-link.ts";
import { connectionLost, SessionLink } from "./session-link.ts";
import type { Connect, Transport } from "./transport.ts";

export type ConnectionState =
  | { readonly state: "connected"; readonly init: Init }
  | { readonly state: "lost"; readonly error: ClaudeCodeError; readonly retryInMs: number }
  | { readonly state: "closed"; readonly error?: ClaudeCodeError };

export interface ClientOptions {
  /** Shown to other clients, as in "approved by". */
  readonly name?: string;
  /** The last event that is known already; 0 for none; "latest" for only what will happen. */
  readonly since?: number | "latest";
  /** The log and the start of the host that `since` is of. */
  readonly logId?: string;
  readonly epoch?: number;
  /** Within this time the session has to answer the first connection. */
  readonly answerMs?: number;
  /** For connecting again. By default it is tried for ever. */
  readonly policy?: RetryPolicy;
  readonly onConnection?: (state: ConnectionState) => void;
  /** A line from the session that could not be used. */
  readonly onProblem?: (error: ClaudeCodeError) => void;
}

/** Events that may wait for the reader before the session is slowed down. */
const MAX_WAITING = 10_000;

/** A host answers at once, but its machine may be busy. */
const ANSWER_MS = 30_000;

/** The connections to one session, one after the other, as if they were one. */
export class SessionConnection {
  readonly items = new ItemQueue<QueuedItem, SessionItem>((item) => this.#give(item));
  readonly closed: Promise<ClaudeCodeError | undefined>;
  readonly #name: string;
  /** The session gives no name to two at a time, so that a new connection may get another one. */
  readonly #ownNames = new Set<string>();
  readonly #connect: Connect;
  readonly #options: ClientOptions;
  readonly #policy: RetryPolicy;
  readonly #commands = new OpenCommands();
  readonly #stop = new AbortController();
  readonly #snapshots: KnownSnapshots;
  #reading: Reading | undefined;
  readonly #settle: (error: ClaudeCodeError | undefined) => void;
  #number = 0;
  #place: Place | "latest";
  #link: SessionLink | undefined;
  #transport: Transport | undefined;
  #init: Init | undefined;
  #openTurn: string | undefined;
  /** The session ended on purpose, so that nobody will answer at its address. */
  #over = false;
  #finished = false;
  /** Connections in a row that brought nothing. */
  #failures = 0;

  constructor(connect: Connect, options: ClientOptions) {
    this.#connect = connect;
    this.#options = options;
    this.#policy = options.policy ?? reconnectPolicy;
    this.#name = options.name ?? `client-${crypto.randomUUID().slice(0, 8)}`;
    const { since = 0, logId, epoch } = options;
    this.#place = since === "latest" ? since : { since, logId, epoch };
    this.#snapshots = new KnownSnapshots(since === 0);
    const closed = Promise.withResolvers<ClaudeCodeError | undefined>();
    this.closed = closed.promise;
    this.#settle = closed.resolve;
  }

  get init(): Init {
    if (!this.#init) throw notConnected();
    return this.#init;
  }

  /** What the reader has taken. */
  get place(): ReadPlace {
    if (!this.#reading) throw notConnected();
    return this.#reading.place;
  }

  /** Whether a name that an event tells is that of this client. */
  isOwn(name: string | undefined): boolean {
    return name !== undefined && this.#ownNames.has(name);
  }

  /** The turn that is running, as far as the events received so far tell. */
  get openTurn(): string | undefined {
    return this.#openTurn;
  }

  /** Resolves when the session has let us attach. A host that is stopped, or no host at all, never does. */
  async open(giveUp?: AbortSignal): Promise<void> {
    const { signal } = this.#stop;
    const transport = await this.#connect(giveUp ? AbortSignal.any([signal, giveUp]) : signal);
    const attached = Promise.withResolvers<void>();
    const refuse = (reason: unknown): void => {
      attached.reject(reason);
      void this.close();
    };
    const timer = setTimeout(() => refuse(noAnswer()), this.#options.answerMs ?? ANSWER_MS);
    const stop = (): void => refuse(giveUp?.reason);
    giveUp?.addEventListener("abort", stop);
    if (giveUp?.aborted) stop();
    void this.#keep(transport, attached);
    try {
      await attached.promise;
    } finally {
      clearTimeout(timer);
      giveUp?.removeEventListener("abort", stop);
    }
  }

  async request(
    command: SessionCommandInput,
    rules?: CommandRules,
  ): Promise<SessionAnswer | undefined> {
    if (this.#over || this.#stop.signal.aborted) throw connectionLost("The client is closed.");
    const settled = this.#commands.add(command, rules);
    this.#link?.sendCommands();
    // A reader that has fallen behind must not keep the answer from being read.
    this.items.wake();
    return settled;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.items.end();
    await this.#transport?.close();
    this.#finish(undefined);
    await this.closed;
  }

  async #keep(first: Transport, attached: PromiseWithResolvers<void>): Promise<void> {
    let transport: Transport | undefined = first;
    while (transport) {
      const error = await this.#follow(transport, attached.resolve);
      if (!this.#init) attached.reject(error);
      if (this.#over || this.#stop.signal.aborted) return this.#finish(undefined);
      if (!this.#init || error.code === "invalid_request") return this.#finish(error);
      transport = await this.#connectAgain(error);
    }
  }

  async #follow(transport: Transport, onAttached: () => void): Promise<ClaudeCodeError> {
    this.#number += 1;
    const handlers: LinkHandlers = {
      onAttached: (init, answer) => {
        this.#attached(init, answer);
        onAttached();
      },
      onEvent: (event) => this.#receive(event),
      onProblem: (error) => this.#options.onProblem?.(error),
      whenReady: () => (this.items.length < MAX_WAITING ? undefined : this.#whenRead()),
    };
    const link = new SessionLink(transport, {
      number: this.#number,
      name: this.#name,
      from: this.#place,
      commands: this.#commands,
      handlers,
    });
    [this.#transport, this.#link] = [transport, link];
    const startedAt = performance.now();
    const error = await link.follow();
    if (performance.now() - startedAt > this.#policy.maxDelayMs) this.#failures = 0;
    this.#place = link.place;
    [this.#transport, this.#link] = [undefined, undefined];
    return error;
  }

  #attached(init: Init, { reset, since, log_id, epoch, client = this.#name }: Attached): void {
    const isFirst = this.#reading === undefined;
    const isFresh = this.#init === undefined && this.#place !== "latest" && this.#place.since === 0;
    const isNew = this.#init !== init;
    this.#init = init;
    this.#ownNames.add(client);
    if (reset) this.#snapshots.forget();
    // Who knows nothing has nothing to forget.
    if (reset && !isFresh) this.#openTurn = undefined;
    this.#reading ??= new Reading({ since: reset ? 0 : since, logId: log_id, epoch });
    if (reset && !isFresh) this.items.push({ type: "reset", logId: log_id, epoch });
    else if (!isFirst) this.items.push({ type: "next_start", logId: log_id, epoch });
    if (isNew) this.#options.onConnection?.({ state: "connected", init });
  }

  #receive(event: SessionEvent): void {
    this.#failures = 0;
    if (this.#snapshots.repeats(event)) return;
    if (event.type === "turn_started") this.#openTurn = event.turn_id;
    else if (event.type === "done") this.#openTurn = undefined;
    else if (event.type === "closing" && this.#isLast(event)) this.#over = true;
    this.items.push(event);
  }

  #give(item: QueuedItem): item is SessionItem {
    this.#reading?.take(item);
    return item.type !== "next_start";
  }

  /**
   * After a signal somebody may start it again at the same address. An end that was in the log before we
   * came is that of a process before this one.
   */
  #isLast({ reason, seq }: SessionEventOf<"closing">): boolean {
    return reason !== "signal" && seq > (this.#init?.last_seq ?? 0);
  }

  async #whenRead(): Promise<void> {
    while (this.items.length >= MAX_WAITING && this.#commands.size === 0) {
      if (this.#stop.signal.aborted) return;
      await this.items.taken();
    }
  }

  async #connectAgain(lost: ClaudeCodeError): Promise<Transport | undefined> {
    const { signal } = this.#stop;
    let error = lost;
    while (this.#failures < this.#policy.tries) {
      this.#failures += 1;
      const retryInMs = delayAfter(this.#failures, this.#policy);
      this.#options.onConnection?.({ state: "lost", error, retryInMs });
      await pause(retryInMs, signal);
      if (signal.aborted) break;
      try {
        return await this.#connect(signal);
      } catch (thrown) {
        error = thrown as ClaudeCodeError;
        this.#over = isGone(error) && this.#commands.sessionGone();
        if (this.#over) break;
      }
    }
    this.#finish(this.#over || signal.aborted ? undefined : error);
    return undefined;
  }

  #finish(error: ClaudeCodeError | undefined): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#stop.abort();
    this.#commands.failAll(error ?? connectionLost("The client was closed."));
    this.items.end(error);
    this.#options.onConnection?.({ state: "closed", ...(error && { error }) });
    this.#settle(error);
  }
}

const noAnswer = (): ClaudeCodeError =>
  errorOf("timeout", "Somebody is at the session's address, and does not say anything.", {
    hint: "Look whether the session's process is stopped, or whether the socket is another program's.",
  });

const notConnected = (): ClaudeCodeError => errorOf("internal", "The client is not connected yet.");

/**
 * A host that ends takes its socket away. One that was killed leaves a dead one behind, which its successor
 * replaces: then somebody may answer there again, and hear what has not been heard.
 */
const isGone = ({ cause }: ClaudeCodeError): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ENOENT";
