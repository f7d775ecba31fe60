import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { failureResult } from "../call/describe-failure.ts";
import { toCallRequest } from "./call-request.ts";
import type { PlainCall } from "./read-plain-call.ts";
import type { ToolService } from "./tool-service.ts";

/**
 * Answers the plain calls of one session without the library, which validates each request and each result several
 * times and so takes longer than everything else on the way.
 */
export class DirectCalls {
  readonly #service: ToolService;
  readonly #send: (message: JSONRPCMessage) => Promise<void>;
  readonly #open = new Map<unknown, AbortController>();

  constructor(service: ToolService, send: (message: JSONRPCMessage) => Promise<void>) {
    this.#service = service;
    this.#send = send;
  }

  /** Sends exactly one answer, unless the call is cancelled. Never rejects. */
  async run({ id, name, args, meta }: PlainCall): Promise<void> {
    const abort = new AbortController();
    this.#open.set(id, abort);
    const { signal } = abort;
    const notify = (message: object) =>
      this.#send({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
    const request = toCallRequest(name, args, { meta, signal, notify });
    const outcome = await this.#service.call(request);
    if (this.#open.get(id) !== abort) return;
    this.#open.delete(id);
    const result = outcome.ok ? outcome.result : failureResult(outcome.error);
    try {
      await this.#send({ jsonrpc: "2.0", id, result: { ...result } });
    } catch (err) {
      this.#service.log.debug({ err }, "A session left before it got its answer.");
    }
  }

  /** Does nothing for a call that is not open here. */
  cancel(id: unknown, reason: unknown): void {
    const abort = this.#open.get(id);
    this.#open.delete(id);
    abort?.abort(reason);
  }

  /** The session has left. */
  cancelAll(): void {
    for (const id of this.#open.keys()) this.cancel(id, new Error("Connection closed"));
  }
}
