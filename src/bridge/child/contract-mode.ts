import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { encodeJson, parseJson } from "../../wire/payload.ts";
import type { Split } from "../../wire/splitter.ts";
import type { Answer } from "./answer.ts";
import { errorResult, failedCall, refusal } from "./answer.ts";
import { openLink } from "./host-link.ts";
import { isObject } from "./json-object.ts";
import { KeptLink } from "./kept-link.ts";
import type { Notification, Request, Response } from "./message.ts";
import { paramsOf } from "./message.ts";
import type { Mode } from "./mode.ts";
import { tellOperator } from "./operator.ts";
import type { Output } from "./output.ts";

/**
 * The IPC contract, for parents in any language: one request, its answer, then the next request, over a
 * connection that is made for the first call and kept. Nothing is ever sent a second time, because
 * without ids a parent could not tell.
 */
export class ContractMode implements Mode {
  readonly carries = { listChanged: false, structuredContent: false };
  readonly #path: string;
  readonly #output: Output;
  /** Ids of the calls that the client waits for. */
  readonly #open = new Set<unknown>();
  #lastCall = Promise.resolve();
  #running: unknown;
  readonly #link = new KeptLink({
    open: () => openLink({ path: this.#path, receive: (frame) => this.#receive(frame) }),
    onLost: (_, error) => void this.#settle({ ok: false, error }),
  });
  #onAnswer: ((answer: Split) => void) | undefined;

  constructor(path: string, output: Output) {
    this.#path = path;
    this.#output = output;
  }

  /** The contract connects no sooner than for the first call. */
  begin(): void {}

  call(request: Request): void {
    this.#open.add(request.id);
    this.#lastCall = this.#lastCall.then(() => this.#serve(request));
  }

  /**
   * A call that waits for its turn is taken back. One that runs has the connection to itself, and may
   * run for ever: the connection is given up, so that the next call has one of its own.
   */
  pass(message: Notification | Response): void {
    if (message.kind !== "notification" || message.method !== "notifications/cancelled") return;
    const id = paramsOf(message)?.["requestId"];
    if (this.#open.delete(id) && id === this.#running) this.#link.current?.close();
  }

  async #serve(request: Request): Promise<void> {
    if (!this.#open.has(request.id)) return;
    this.#running = request.id;
    const answer = await this.#run(request);
    this.#running = undefined;
    if (this.#open.delete(request.id)) this.#output.answer(request.id, answer);
  }

  async #run(request: Request): Promise<Answer> {
    const { name, arguments: given = {} } = paramsOf(request) ?? {};
    if (typeof name !== "string" || !isObject(given)) return refusal(badCall());
    try {
      const params = { name, arguments: given };
      const answer = await this.#exchange(request.id, encodeJson({ method: "call_tool", params }));
      if (!answer.ok) throw answer.error;
      const parsed = parseJson(answer.bytes);
      if (!parsed.ok) throw parsed.error;
      return translate(parsed.value);
    } catch (error) {
      if (error instanceof ClaudeCodeError) return failedCall(error);
      throw error;
    }
  }

  async #exchange(id: unknown, request: Uint8Array): Promise<Split> {
    const link = await this.#link.connected();
    if (!this.#open.has(id)) throw errorOf("aborted", "The call was cancelled before it was sent.");
    link.send(request);
    return new Promise((resolve) => (this.#onAnswer = resolve));
  }

  #receive(frame: Split): void {
    if (this.#settle(frame)) return;
    // It would be taken for the answer to the next call.
    tellOperator(`${this.#path} sent what nobody asked for. The connection is closed.`);
    this.#link.current?.close();
  }

  #settle(answer: Split): boolean {
    const settle = this.#onAnswer;
    this.#onAnswer = undefined;
    settle?.(answer);
    return settle !== undefined;
  }
}

function translate(answer: unknown): Answer {
  if (isObject(answer)) {
    const { result, error } = answer;
    if (error === undefined && isResult(result)) {
      const { content, isError } = result;
      return { result: { content, ...(isError !== undefined && { isError }) } };
    }
    if (result === undefined && isFailure(error)) {
      return errorResult(`${error.type}: ${error.message}`);
    }
  }
  throw errorOf(
    "invalid_request",
    "The tool host's answer is neither a result with content nor an error with message and type.",
    { hint: "The call may have run. Compare the answer with the IPC contract." },
  );
}

const badCall = (): ClaudeCodeError =>
  errorOf("invalid_params", "A call has the string params.name and the object params.arguments.");

function isResult(value: unknown): value is { content: object[]; isError?: boolean } {
  if (!isObject(value)) return false;
  const { content, isError } = value;
  return isContent(content) && (isError === undefined || typeof isError === "boolean");
}

const isContent = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((item) => isObject(item) && typeof item["type"] === "string");

const isFailure = (value: unknown): value is { message: string; type: string } =>
  isObject(value) && typeof value["message"] === "string" && typeof value["type"] === "string";
