import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import type { Channel } from "../../net/channel.ts";
import { toJsonRpcError } from "../../wire/error-wire.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { encodeFrame } from "../../wire/frame.ts";
import { isRecord } from "../../wire/json.ts";
import { parseJsonRpcMessage } from "../../wire/mcp.ts";
import type { Parsed } from "../../wire/json-payload.ts";
import { MAX_MESSAGE_BYTES } from "../../wire/json-payload.ts";
import { failureResult, unsendableResult } from "../call/describe-failure.ts";
import type { DirectCalls } from "./direct-calls.ts";
import { readPlainCall } from "./read-plain-call.ts";
import { sendInTurn } from "./send-in-turn.ts";

type Id = string | number;

/**
 * The official client gives up a server when its buffer exceeds 10 MiB, which may hold a message and a chunk of the
 * next. A larger answer fits into a frame, but would cost the session all its tools.
 */
const MAX_ANSWER_BYTES = MAX_MESSAGE_BYTES - 65_536;

/**
 * MCP messages in frames, for the library's server. Makes sure that every request is answered: an invalid message
 * gets an error, and an answer that does not fit is replaced by an error that says so.
 */
export class FrameTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Takes plain calls; the library does not see them. */
  direct?: DirectCalls;

  readonly #first: IteratorResult<Parsed>;
  readonly #rest: AsyncIterator<Parsed>;
  readonly #channel: Channel<unknown, Parsed>;
  readonly #owe: () => () => void;
  readonly #open = new Map<Id, () => void>();
  /** Settles when the peer has left and everything is released. */
  closed: Promise<void> = Promise.resolve();

  constructor(
    first: IteratorResult<Parsed>,
    rest: AsyncIterator<Parsed>,
    channel: Channel<unknown, Parsed>,
    owe: () => () => void,
  ) {
    this.#first = first;
    this.#rest = rest;
    this.#channel = channel;
    this.#owe = owe;
  }

  async start(): Promise<void> {
    this.closed = this.#read();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const bytes = encodeOrExplain(message);
    // Only the newest progress counts: a slow peer misses some.
    if (isProgress(message)) return void this.#channel.trySend(bytes);
    try {
      await sendInTurn(this.#channel, bytes);
    } finally {
      if (isResponse(message)) this.#settle(message.id);
    }
  }

  async close(): Promise<void> {
    await this.#channel.close();
  }

  async #read(): Promise<void> {
    try {
      for (let next = this.#first; !next.done; next = await this.#rest.next()) {
        const message = next.value;
        if (!message.ok) await this.#refuse(undefined, message.error);
        else await this.#take(message.value);
      }
    } finally {
      for (const answered of this.#open.values()) answered();
      this.direct?.cancelAll();
      this.onclose?.();
    }
  }

  async #take(value: unknown): Promise<void> {
    const call = this.direct && readPlainCall(value);
    if (call && !this.#open.has(call.id)) {
      this.#open.set(call.id, this.#owe());
      void this.direct?.run(call);
      return;
    }
    const checked = parseJsonRpcMessage(value);
    if (!checked.ok) return this.#refuse(isRecord(value) ? value["id"] : undefined, checked.error);
    const message = checked.value as JSONRPCMessage;
    if ("method" in message) {
      if ("id" in message && !this.#open.has(message.id)) this.#open.set(message.id, this.#owe());
      if (message.method === "notifications/cancelled") this.#cancel(message.params);
    }
    this.onmessage?.(message);
  }

  /** A cancelled call gets no answer, as MCP requires. */
  #cancel(params: Record<string, unknown> = {}): void {
    this.direct?.cancel(params["requestId"], params["reason"]);
    this.#settle(params["requestId"]);
  }

  async #refuse(id: unknown, error: ClaudeCodeError): Promise<void> {
    const known = typeof id === "string" || typeof id === "number";
    const answer = { jsonrpc: "2.0", id: known ? id : null, error: toJsonRpcError(error) };
    await sendInTurn(this.#channel, encodeFrame(answer));
  }

  #settle(id: unknown): void {
    this.#open.get(id as Id)?.();
    this.#open.delete(id as Id);
  }
}

/** Whether a tool's result fits is known only here, when it is finished. */
function encodeOrExplain(message: JSONRPCMessage): Uint8Array {
  try {
    return encodeFrame(message, MAX_ANSWER_BYTES);
  } catch (cause) {
    if (!isResponse(message)) throw cause;
    const { jsonrpc, id } = message;
    return encodeFrame({ jsonrpc, id, result: failureResult(unsendableResult(cause)) });
  }
}

function isResponse(message: JSONRPCMessage): message is JSONRPCMessage & { id: Id } {
  return !("method" in message) && message.id !== undefined;
}

function isProgress(message: JSONRPCMessage): boolean {
  return "method" in message && message.method === "notifications/progress";
}
