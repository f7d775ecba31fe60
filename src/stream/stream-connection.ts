import { pause } from "../time/abortable-waits.ts";
import { backOffMs } from "../time/back-off.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import type { RetryPolicy } from "../wire/timeouts.ts";
import type { LogCursor, Newest } from "./log-cursor.ts";
import type { CommandRules } from "./open-commands.ts";
import { OpenCommands } from "./open-commands.ts";
import type { StreamAttached, StreamProtocol, StreamTypes } from "./stream-protocol.ts";
import { reconnectJitter, reconnectPolicy } from "./reconnect-policy.ts";
import { connectionLost, StreamLink } from "./stream-link.ts";
import type { StreamConnect, StreamTransport } from "./stream-transport.ts";

/** What has become of the connection. */
export type StreamState<Init> =
  | { readonly state: "connected"; readonly init: Init }
  | { readonly state: "lost"; readonly error: ClaudeCodeError; readonly retryInMs: number }
  | { readonly state: "closed"; readonly error?: ClaudeCodeError };

export interface StreamOptions<Init> {
  /** Shown to other clients, as in "approved by". */
  readonly name?: string | undefined;
  /** The last known event, or how many of the newest events to begin with: 0 for new events only. */
  readonly from: LogCursor | Newest;
  /** How long the server may take to answer the first connection; for ever when absent. */
  readonly answerMs?: number | undefined;
  /** For reconnecting. By default the client retries for ever. */
  readonly policy?: RetryPolicy | undefined;
  readonly onConnection?: ((state: StreamState<Init>) => void) | undefined;
  /** Called with a line from the server that could not be used. */
  readonly onProblem?: ((error: ClaudeCodeError) => void) | undefined;
}

export interface StreamHandlers<Types extends StreamTypes> {
  /** `isFresh`: nothing was known before, so that there is nothing to forget. */
  readonly onAttached: (attached: StreamAttached, isFresh: boolean) => void;
  /** The connection is lost, and another one is looked for. */
  readonly onLost?: () => void;
  readonly onEvent: (event: Types["event"]) => void;
  readonly onLive: (item: Types["live"]) => void;
  /** Awaited after each line: slows the server down to the reader's pace. */
  readonly whenReady: () => Promise<void> | undefined;
  /** Nothing more will come: the client was closed, or the connection was given up with an error. */
  readonly onEnd: (error: ClaudeCodeError | undefined) => void;
}

/** Successive connections to one server, presented as one. */
export class StreamConnection<Types extends StreamTypes> {
  readonly closed: Promise<ClaudeCodeError | undefined>;
  /** Two connections cannot share a name, so a new connection may get another one. */
  readonly #ownNames = new Set<string>();
  readonly #connect: StreamConnect<Types["line"]>;
  readonly #protocol: StreamProtocol<Types>;
  readonly #options: StreamOptions<Types["init"]>;
  readonly #handlers: StreamHandlers<Types>;
  readonly #policy: RetryPolicy;
  readonly #commands = new OpenCommands<Types>();
  readonly #stop = new AbortController();
  readonly #settle: (error: ClaudeCodeError | undefined) => void;
  #number = 0;
  #place: LogCursor | Newest;
  #link: StreamLink<Types> | undefined;
  #transport: StreamTransport<Types["line"]> | undefined;
  #init: Types["init"] | undefined;
  /** The server ended on purpose: nothing will answer at its address. */
  #over = false;
  #finished = false;
  /** Consecutive connections that brought nothing. */
  #failures = 0;

  constructor(
    connect: StreamConnect<Types["line"]>,
    protocol: StreamProtocol<Types>,
    options: StreamOptions<Types["init"]>,
    handlers: StreamHandlers<Types>,
  ) {
    this.#connect = connect;
    this.#protocol = protocol;
    this.#options = options;
    this.#handlers = handlers;
    this.#policy = options.policy ?? reconnectPolicy;
    this.#place = options.from;
    const closed = Promise.withResolvers<ClaudeCodeError | undefined>();
    this.closed = closed.promise;
    this.#settle = closed.resolve;
  }

  /** What the server said first on the newest connection. */
  get init(): Types["init"] {
    if (!this.#init) throw errorOf("internal", "The client is not connected yet.");
    return this.#init;
  }

  get hasOpenCommands(): boolean {
    return this.#commands.size > 0;
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Whether a name in an event is this client's. */
  isOwn(name: string | undefined): boolean {
    return name !== undefined && this.#ownNames.has(name);
  }

  /**
   * Resolves when the server has accepted us.
   *
   * @throws what `connect` throws; the server's reason when it refuses; `timeout` when it does not answer within `answerMs`;
   * the signal's reason.
   */
  async open(giveUp?: AbortSignal): Promise<void> {
    const { signal } = this.#stop;
    const transport = await this.#connect(giveUp ? AbortSignal.any([signal, giveUp]) : signal);
    const attached = Promise.withResolvers<void>();
    const refuse = (reason: unknown): void => {
      attached.reject(reason);
      void this.close();
    };
    const { answerMs } = this.#options;
    const timer =
      answerMs === undefined ? undefined : setTimeout(() => refuse(this.#noAnswer()), answerMs);
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
    command: Types["command"],
    rules?: CommandRules<Types["event"]>,
  ): Promise<Types["answer"] | undefined> {
    if (this.#over || this.isStopped) throw connectionLost("The client is closed.");
    const settled = this.#commands.add(command, rules);
    this.#link?.sendCommands();
    return settled;
  }

  /** From the next `attached` on, events after another place: at once, or when there is a connection again. */
  moveTo(cursor: LogCursor): void {
    this.#place = cursor;
    this.#link?.moveTo(cursor);
  }

  /** The server has said that it ends on purpose: the client does not connect again. */
  expectEnd(): void {
    this.#over = true;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#transport?.close();
    this.#finish(undefined);
    await this.closed;
  }

  async #keep(
    first: StreamTransport<Types["line"]>,
    attached: PromiseWithResolvers<void>,
  ): Promise<void> {
    let transport: StreamTransport<Types["line"]> | undefined = first;
    while (transport) {
      const error = await this.#follow(transport, attached.resolve);
      if (!this.#init) attached.reject(error);
      if (this.#over || this.isStopped) return this.#finish(undefined);
      if (!this.#init || isFinal(error)) return this.#finish(error);
      this.#handlers.onLost?.();
      this.#commands.connectionLost(error);
      transport = await this.#connectAgain(error);
    }
  }

  async #follow(
    transport: StreamTransport<Types["line"]>,
    onAttached: () => void,
  ): Promise<ClaudeCodeError> {
    this.#number += 1;
    const { onLive, whenReady } = this.#handlers;
    const link = new StreamLink<Types>(transport, {
      protocol: this.#protocol,
      number: this.#number,
      name: this.#options.name,
      from: this.#place,
      commands: this.#commands,
      handlers: {
        onAttached: (init, answer) => {
          this.#attached(init, answer);
          onAttached();
        },
        onEvent: (event) => {
          this.#failures = 0;
          this.#handlers.onEvent(event);
        },
        onLive,
        onProblem: (error) => this.#options.onProblem?.(error),
        whenReady,
      },
    });
    [this.#transport, this.#link] = [transport, link];
    const startedAt = performance.now();
    const error = await link.follow();
    if (performance.now() - startedAt > this.#policy.maxDelayMs) this.#failures = 0;
    this.#place = link.place;
    [this.#transport, this.#link] = [undefined, undefined];
    return error;
  }

  #attached(init: Types["init"], attached: StreamAttached): void {
    const isNew = this.#init !== init;
    const isFresh = this.#init === undefined && "since" in this.#place && this.#place.since === 0;
    this.#init = init;
    const name = attached.client ?? this.#options.name;
    if (name !== undefined) this.#ownNames.add(name);
    this.#handlers.onAttached(attached, isFresh);
    if (isNew) this.#options.onConnection?.({ state: "connected", init });
  }

  async #connectAgain(lost: ClaudeCodeError): Promise<StreamTransport<Types["line"]> | undefined> {
    const { signal } = this.#stop;
    let error = lost;
    while (this.#failures < this.#policy.tries) {
      this.#failures += 1;
      const retryInMs = backOffMs(this.#failures, this.#policy, reconnectJitter);
      this.#options.onConnection?.({ state: "lost", error, retryInMs });
      await pause(retryInMs, signal);
      if (signal.aborted) break;
      try {
        return await this.#connect(signal);
      } catch (thrown) {
        error = thrown as ClaudeCodeError;
        this.#over = isGone(error) && this.#commands.serverGone();
        if (this.#over || isFinal(error)) break;
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
    this.#handlers.onEnd(error);
    this.#options.onConnection?.({ state: "closed", ...(error && { error }) });
    this.#settle(error);
  }

  #noAnswer(): ClaudeCodeError {
    const { peer } = this.#protocol;
    return errorOf("timeout", `A process listens at the ${peer}'s address, and does not answer.`, {
      hint: `Check whether the ${peer}'s process is stopped, or whether the socket belongs to another program.`,
    });
  }
}

/**
 * A server that ends removes its socket. A killed server leaves a dead socket, which its successor replaces: that one
 * may answer and carry out what is still open.
 */
const isGone = ({ cause }: ClaudeCodeError): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ENOENT";

/** Trying again cannot help: the two sides do not understand each other, or a gateway does not let us through. */
const finalCodes: ReadonlySet<string> = new Set([
  "invalid_request",
  "sign_in_required",
  "read_only",
  "agent_not_found",
  "invalid_params",
]);

const isFinal = ({ code }: ClaudeCodeError): boolean => finalCodes.has(code);
