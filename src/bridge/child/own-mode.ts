import { messageTooLarge } from "../../wire/codec-errors.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { MAX_MESSAGE_BYTES } from "../../wire/json-payload.ts";
import { failedCall } from "./make-answer.ts";
import type { HostLink } from "./host-link.ts";
import { isObject } from "./is-json-object.ts";
import { SharedLink } from "./shared-link.ts";
import type { Message, RpcNotification, RpcRequest, RpcResponse } from "./read-message.ts";
import { paramsOf } from "./read-message.ts";
import type { Mode } from "./mode.ts";
import { warnOperator } from "./warn-operator.ts";
import type { Output } from "./write-to-stdout.ts";
import { ANONYMOUS, openOwnLink } from "./open-own-link.ts";
import { DEFAULT_PATIENCE_MS, isSignDue, retryAfterMs } from "./host-wait-times.ts";
import type { ToolList } from "./announced-tools.ts";

/** The first and the longest interval between automatic reconnects after a loss. */
const FIRST_REDIAL_MS = 1_000;
const LAST_REDIAL_MS = 30_000;

export interface OwnModeOptions {
  /** How long calls of idempotent tools wait for an absent host. */
  readonly patienceMs?: number | undefined;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
}

interface Call {
  readonly request: RpcRequest;
  /** The link that the call was sent over; its answer must come from there. */
  link?: HostLink;
  /** Why it has no answer although it was sent: it may have run, whatever happens afterwards. */
  lost?: ClaudeCodeError;
  /** Set by the first failure; later failures do not extend it. */
  wait?: Wait;
}

interface Wait {
  readonly since: number;
  readonly giveUpAt: number;
  /** When the client last got a sign of life for the waiting call. */
  toldAt: number;
}

/**
 * Both ends are ours: MCP messages go to the host and back unchanged, many at a time. The link is made in the
 * background, and again by the next call after it was lost.
 */
export class OwnMode implements Mode {
  readonly carries = { listChanged: true, structuredContent: true };
  readonly #path: string;
  readonly #tools: ToolList;
  readonly #output: Output;
  readonly #calls = new Map<unknown, Call>();
  readonly #link = new SharedLink({
    open: () => this.#open(),
    onLost: (link, error) => this.#lose(link, error),
  });
  #introduction: object = ANONYMOUS;
  readonly #patienceMs: number;
  readonly #nowMs: () => number;
  /** Since when the host is absent: since the last connection was lost, or since this process began. */
  #awaySince: number;
  #redialling: NodeJS.Timeout | undefined;

  constructor(path: string, tools: ToolList, output: Output, options: OwnModeOptions = {}) {
    const { patienceMs = DEFAULT_PATIENCE_MS, nowMs = () => performance.now() } = options;
    this.#path = path;
    this.#tools = tools;
    this.#output = output;
    this.#patienceMs = patienceMs;
    this.#nowMs = nowMs;
    this.#awaySince = nowMs();
  }

  begin(initialize: RpcRequest): void {
    this.#introduction = paramsOf(initialize) ?? ANONYMOUS;
    this.#link.connected().catch((error) => {
      warnOperator(error);
      this.#redialLater(FIRST_REDIAL_MS);
    });
  }

  call(request: RpcRequest): void {
    const call = { request };
    this.#calls.set(request.id, call);
    const link = this.#link.current;
    if (link?.isOpen) this.#send(call, link);
    else void this.#carry(call);
  }

  pass(message: RpcNotification | RpcResponse): void {
    let link = this.#link.current;
    if (message.kind === "notification") {
      // This side makes the handshake.
      if (message.method === "notifications/initialized") return;
      if (message.method === "notifications/cancelled") link = this.#cancel(message);
    }
    try {
      link?.send(message.bytes);
    } catch (error) {
      warnOperator(error);
    }
  }

  /** Returns the link over which to inform the host, if the host has the call. */
  #cancel(message: RpcNotification): HostLink | undefined {
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

  /** Repeating a call is safe only where its tool says so; for others the caller has to check. */
  #failOrWait(call: Call, error: unknown): void {
    if (!(error instanceof ClaudeCodeError)) throw error;
    if (!this.#isOpen(call)) return;
    const { id, name } = call.request;
    const now = this.#nowMs();
    call.wait ??= { since: now, giveUpAt: this.#awaySince + this.#patienceMs, toldAt: now };
    const mayWait = error.retryable && this.#tools.isIdempotent(name);
    if (mayWait && now < call.wait.giveUpAt) {
      this.#tellWaiting(call, call.wait, now);
      setTimeout(() => void this.#carry(call), retryAfterMs(now - call.wait.since));
    } else {
      this.#calls.delete(id);
      const cause = call.lost ?? error;
      this.#output.answer(id, failedCall(mayWait ? this.#afterWaiting(cause) : cause));
    }
  }

  /** A sign of life: clients give up on a call that is silent for too long. */
  #tellWaiting({ request }: Call, wait: Wait, now: number): void {
    if (!isSignDue(now - wait.toldAt)) return;
    wait.toldAt = now;
    const progressToken = progressTokenOf(request);
    if (progressToken === undefined) return;
    const progress = Math.round((now - wait.since) / 1000);
    const message = `The program that offers the tool is not running. The call is waiting for it (${progress} s).`;
    this.#output.notify("notifications/progress", { progressToken, progress, message });
  }

  #afterWaiting({ code, message, hint, data }: ClaudeCodeError): ClaudeCodeError {
    const seconds = this.#patienceMs / 1000;
    const whole = `${message} The host was not back within ${seconds} s.`;
    return errorOf(code, whole, { hint, ...(data && { data }) });
  }

  async #open(): Promise<HostLink> {
    const link = await openOwnLink(this.#path, this.#introduction, (message, from) =>
      this.#receive(message, from),
    );
    // A host that came back may have other tools.
    if (this.#tools.isOutdated()) this.#output.notify("notifications/tools/list_changed");
    return link;
  }

  #receive(message: Message, link: HostLink): void {
    const { length } = message.bytes;
    const call = message.kind === "response" ? this.#calls.get(message.id) : undefined;
    if (length > MAX_MESSAGE_BYTES) {
      const error = messageTooLarge(`An answer of ${length} bytes`, length, MAX_MESSAGE_BYTES);
      if (call) this.#failOrWait(call, error);
      else warnOperator(error);
      return;
    }
    // An answer without an open call belongs to a cancelled one, unless it has no id.
    if (message.kind === "response" && message.id !== undefined && !call) return;
    if (call) this.#calls.delete(call.request.id);
    this.#output.pass(message.bytes);
    if (this.#output.isFull && !link.isPaused) {
      link.pause();
      this.#output.onceDrained(() => link.resume());
    }
  }

  #lose(link: HostLink, error: ClaudeCodeError): void {
    this.#awaySince = this.#nowMs();
    for (const call of this.#calls.values()) {
      if (call.link !== link) continue;
      delete call.link;
      call.lost ??= error;
      this.#failOrWait(call, error);
    }
    this.#redialLater(FIRST_REDIAL_MS);
  }

  /** The session learns that the host is back, and with which tools, without a call. */
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

/** Undefined when the client does not want progress. */
function progressTokenOf(request: RpcRequest): unknown {
  const meta = paramsOf(request)?.["_meta"];
  return isObject(meta) ? meta["progressToken"] : undefined;
}
