import type { Writable } from "node:stream";
import type { JsonRpcId } from "../../wire/mcp.ts";
import { encodeLine, lineBytes } from "../../wire/lines.ts";
import { MAX_MESSAGE_BYTES } from "../../wire/json-payload.ts";
import type { ToolCallAnswer } from "./make-answer.ts";

/**
 * The most that is held of one message. Twice the bound of a frame is enough for the longest answer, as escaping may
 * double it; the rest is for messages that are too large to be sent but whose id is needed, so that the error reaches
 * the caller.
 */
export const MAX_HELD_BYTES = 4 * MAX_MESSAGE_BYTES;

const NEWLINE = 0x0a;
const LINE_END = Buffer.of(NEWLINE);
/** From this size on, a second write is cheaper than copying the message. */
const LARGE_BYTES = 65_536;

/** Standard output: lines of JSON-RPC, and nothing else. */
export class Output {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  answer(id: JsonRpcId | null, answer: ToolCallAnswer): void {
    this.#stream.write(encodeLine({ jsonrpc: "2.0", id, ...answer }, MAX_HELD_BYTES));
  }

  notify(method: string, params?: object): void {
    this.#stream.write(encodeLine({ jsonrpc: "2.0", method, ...(params && { params }) }));
  }

  /** Passes finished JSON on, without copying large messages. */
  pass(json: Uint8Array): void {
    if (json.length < LARGE_BYTES || hasNewline(json)) {
      this.#stream.write(lineBytes(json));
    } else {
      this.#stream.cork();
      this.#stream.write(json);
      this.#stream.write(LINE_END);
      this.#stream.uncork();
    }
  }

  /** The client reads too slowly. Callers that wait until it is drained keep memory bounded. */
  get isFull(): boolean {
    return this.#stream.writableNeedDrain;
  }

  onceDrained(goOn: () => void): void {
    this.#stream.once("drain", goOn);
  }
}

/** On a Buffer view, because only a Buffer searches natively. */
const hasNewline = (json: Uint8Array): boolean =>
  Buffer.from(json.buffer, json.byteOffset, json.length).includes(NEWLINE);
