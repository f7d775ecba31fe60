import { messageTooLarge } from "../../wire/codec-errors.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import { MAX_MESSAGE_BYTES } from "../../wire/payload.ts";
import { failedCall } from "./answer.ts";
import type { HostLink } from "./host-link.ts";
import { KeptLink } from "./kept-link.ts";
import type { Message, Notification, Request, Response } from "./message.ts";
import { paramsOf } from "./message.ts";
import type { Mode } from "./mode.ts";
import { tellOperator } from "./operator.ts";
import type { Output } from "./output.ts";
import { ANONYMOUS, openOwnLink } from "./own-link.ts";
import type { ToolList } from "./tool-list.ts";

/** How long calls of idempotent tools wait for a host that was lost. */
const PATIENCE_MS = 30_000;
const RETRY_AFTER_MS = 100;
/** How soon after a loss a new connection is tried unasked, and how often at last. */
const FIRST_REDIAL_MS = 1_000;
const LAST_REDIAL_MS = 30_000;

interface Call {
  readonly request: Request;
  /** The link that it was sent over, and by which its answer has to come. */
  link?: HostLink;
  /** Why it has no answer although it was sent: it may have run, whatever happens afterwards. */
  lost?: ClaudeCodeError;
  /** Set by the first trouble, and never put off by the next. */
  giveUpAt?: number;
}

/**
 * Both ends are ours: messages of MCP go to the host and back as they are, many at a time. The link is
 * made in the background, and anew by the next call after it was lost.
 */
export class OwnMode implements Mode {
  readonly carries = { listChanged: true, structuredContent: true };
  readonly #path: string;
  readonly #tools: ToolList;
  readonly #output: Output;
  readonly #calls = new Map<unknown, Call>();
  readonly #link = new KeptLink({
    open: () => this.#open(),
    onLost: (link, error) => this.#lose(link, error),
  });
  #introduction: object = ANONYMOUS;
  #lostAt = -Infinity;
  #redialling: NodeJS.Timeout | undefined;

  constructor(path: string, tools: ToolList, output: Output) {
    this.#path = path;
    this.#tools = tools;
    this.#output = output;
  }

  begin(initialize: Request): void {
    this.#introduction = paramsOf(initialize) ?? ANONYMOUS;
    this.#link.connected().catch((error) => {
      tellOperator(error);
      this.#redialLater(FIRST_REDIAL_MS);
    });
  }

  call(request: Request): void {
    const call = { request };
    this.#calls.set(request.id, call);
    const link = this.#link.current;
    if (link?.isOpen) this.#send(call, link);
    else void this.#carry(call);
  }

  pass(message: Notification | Response): void {
    let link = this.#link.current;
    if (message.kind === "notification") {
      // The handshake is this side's business.
      if (message.method === "notifications/initialized") return;
      if (message.method === "notifications/cancelled") link = this.#cancel(message);
    }
    try {
      link?.send(message.bytes);
    } catch (error) {
      tellOperator(error);
    }
  }

  /** Gives the link over which the host is to be told, if it knows of the call. */
  #cancel(message: Notification): HostLink | undefined {
    const id = paramsOf(message)?.["requestId"];
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call?.link;
  }

  async #carry(call: Call): Promise<void> {
    try {
      const link = await this.#link.connected();
      if (this.#isOpen(call)) this.#send(call, link);
    } catch (error) {
      this.#failOrWait(call, error);
    }
  }

  #send(call: Call, link: HostLink): void {
    try {
      link.send(call.request.bytes);
      call.link = link;
    } catch (error) {
      this.#failOrWait(call, error);
    }
  }

  /** To repeat a call is safe only where its tool says so; for the others somebody has to look. */
  #failOrWait(call: Call, error: unknown): void {
    if (!(error instanceof ClaudeCodeError)) throw error;
    if (!this.#isOpen(call)) return;
    const { id, name } = call.request;
    call.giveUpAt ??= this.#lostAt + PATIENCE_MS;
    const mayWait = error.retryable && this.#tools.isIdempotent(name);
    if (mayWait && performance.now() < call.giveUpAt) {
      setTimeout(() => void this.#carry(call), RETRY_AFTER_MS);
    } else {
      this.#calls.delete(id);
      this.#output.answer(id, failedCall(call.lost ?? error));
    }
  }

  async #open(): Promise<HostLink> {
    const link = await openOwnLink(this.#path, this.#introduction, (message, from) =>
      this.#receive(message, from),
    );
    // A host that came back may have come back with other tools.
    if (this.#tools.isOutdated()) this.#output.notify("notifications/tools/list_changed");
    return link;
  }

  #receive(message: Message, link: HostLink): void {
    const { length } = message.bytes;
    const call = message.kind === "response" ? this.#calls.get(message.id) : undefined;
    if (length > MAX_MESSAGE_BYTES) {
      const error = messageTooLarge(`An answer of ${length} bytes`, length, MAX_MESSAGE_BYTES);
      if (call) this.#failOrWait(call, error);
      else tellOperator(error);
      return;
    }
    // What answers no open call answers one that was cancelled, unless it has no id.
    if (message.kind === "response" && message.id !== undefined && !call) return;
    if (call) this.#calls.delete(call.request.id);
    this.#output.pass(message.bytes);
    if (this.#output.isFull && !link.isPaused) {
      link.pause();
      this.#output.onceDrained(() => link.resume());
    }
  }

  #lose(link: HostLink, error: ClaudeCodeError): void {
    this.#lostAt = performance.now();
    for (const call of this.#calls.values()) {
      if (call.link !== link) continue;
      delete call.link;
      call.lost ??= error;
      this.#failOrWait(call, error);
    }
    this.#redialLater(FIRST_REDIAL_MS);
  }

  /** Nobody has to call a tool for the session to learn that the host is back, and with which tools. */
  #redialLater(afterMs: number): void {
    clearTimeout(this.#redialling);
    this.#redialling = setTimeout(() => {
      const again = (): void => this.#redialLater(Math.min(2 * afterMs, LAST_REDIAL_MS));
      this.#link.connected().catch(again);
    }, afterMs);
  }

  #isOpen(call: Call): boolean {
    return this.#calls.get(call.request.id) === call;
  }
}
