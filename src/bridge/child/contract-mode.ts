import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { encodeJson, parseJson } from "../../wire/json-payload.ts";
import type { Split } from "../../wire/splitter.ts";
import type { ToolCallAnswer } from "./make-answer.ts";
import { checkAgainstSchema } from "./load-argument-check.ts";
import { errorResult, failedCall, refusal } from "./make-answer.ts";
import { openLink } from "./host-link.ts";
import { isObject } from "./is-json-object.ts";
import { SharedLink } from "./shared-link.ts";
import type { RpcNotification, RpcRequest, RpcResponse } from "./read-message.ts";
import { paramsOf } from "./read-message.ts";
import type { Mode } from "./mode.ts";
import { warnOperator } from "./warn-operator.ts";
import type { Output } from "./write-to-stdout.ts";
import type { ToolList } from "./announced-tools.ts";

/**
 * The IPC contract, for parents in any language: one request, its answer, then the next request, over a connection
 * that is made for the first call and kept. Nothing is ever sent twice, because without ids a parent could not tell.
 */
export class ContractMode implements Mode {
  readonly carries = { listChanged: false, structuredContent: false };
  readonly #path: string;
  readonly #tools: ToolList;
  readonly #output: Output;
  /** Ids of the calls that the client waits for. */
  readonly #open = new Set<unknown>();
  #lastCall = Promise.resolve();
  #running: unknown;
  readonly #link = new SharedLink({
    open: () => openLink({ path: this.#path, receive: (frame) => this.#receive(frame) }),
    onLost: (_, error) => void this.#settle({ ok: false, error }),
  });
  #onAnswer: ((answer: Split) => void) | undefined;

  constructor(path: string, tools: ToolList, output: Output) {
    this.#path = path;
    this.#tools = tools;
    this.#output = output;
  }

  /** The contract connects for the first call, not earlier. */
  begin(): void {}

  call(request: RpcRequest): void {
    this.#open.add(request.id);
    this.#lastCall = this.#lastCall.then(() => this.#serve(request));
  }

  /**
   * Cancels a call that waits for its turn. A running call has the connection to itself and may run for ever: the
   * connection is closed, so that the next call gets a new one.
   */
  pass(message: RpcNotification | RpcResponse): void {
    if (message.kind !== "notification" || message.method !== "notifications/cancelled") return;
    const id = paramsOf(message)?.["requestId"];
    if (this.#open.delete(id) && id === this.#running) this.#link.current?.close();
  }

  async #serve(request: RpcRequest): Promise<void> {
    if (!this.#open.has(request.id)) return;
    this.#running = request.id;
    const answer = await this.#run(request);
    this.#running = undefined;
    if (this.#open.delete(request.id)) this.#output.answer(request.id, answer);
  }

  async #run(request: RpcRequest): Promise<ToolCallAnswer> {
    const { name, arguments: given = {} } = paramsOf(request) ?? {};
    if (typeof name !== "string" || !isObject(given)) return refusal(badCall());
    // The contract makes the bridge check the arguments: a parent need not check again.
    const wrong = await checkAgainstSchema(this.#tools.find(name), given);
    if (wrong) return failedCall(wrong);
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
    warnOperator(`${this.#path} sent a message without a request. The connection is closed.`);
    this.#link.current?.close();
  }

  #settle(answer: Split): boolean {
    const settle = this.#onAnswer;
    this.#onAnswer = undefined;
    settle?.(answer);
    return settle !== undefined;
  }
}

function translate(answer: unknown): ToolCallAnswer {
  if (isObject(answer)) {
    const { result, error } = answer;
    if (error === undefined && isResult(result)) {
      const { content, isError } = result;
      return { result: { content, ...(isError !== undefined && { isError }) } };
    }
    if (result === undefined && isFailure(error)) {
      const { type, message } = error;
      return errorResult(type === undefined ? message : `${type}: ${message}`);
    }
  }
  throw errorOf(
    "invalid_request",
    "The tool host's answer is neither a result with content nor an error with a message.",
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

/** Not every parent names the class of an error. */
const isFailure = (value: unknown): value is { message: string; type?: string } =>
  isObject(value) &&
  typeof value["message"] === "string" &&
  ["string", "undefined"].includes(typeof value["type"]);
