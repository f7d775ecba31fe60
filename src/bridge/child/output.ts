import type { Writable } from "node:stream";
import type { JsonRpcId } from "../../wire/mcp.ts";
import { encodeLine, lineBytes } from "../../wire/lines.ts";
import { MAX_MESSAGE_BYTES } from "../../wire/payload.ts";
import type { Answer } from "./answer.ts";

/**
 * The most that is held of one message. Twice the bound of a frame would do for the longest answer, as
 * escaping may double it; the rest is for messages that are too large to be sent, but whose id is
 * wanted, so that the error reaches whoever waits.
 */
export const MAX_HELD_BYTES = 4 * MAX_MESSAGE_BYTES;

const NEWLINE = 0x0a;
const LINE_END = Buffer.of(NEWLINE);
/** From here on it is worth a second write not to copy a message. */
const LARGE_BYTES = 65_536;

/** Standard output: lines of JSON-RPC, and nothing else, ever. */
export class Output {
  readonly #stream: Writable;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  answer(id: JsonRpcId | null, answer: Answer): void {
    this.#stream.write(encodeLine({ jsonrpc: "2.0", id, ...answer }, MAX_HELD_BYTES));
  }

  notify(method: string): void {
    this.#stream.write(encodeLine({ jsonrpc: "2.0", method }));
  }

  /** Passes finished JSON on, uncopied where it is large. */
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

  /** The client reads too slowly. Who holds back until it is drained keeps memory in bounds. */
  get isFull(): boolean {
    return this.#stream.writableNeedDrain;
  }

  onceDrained(goOn: () => void): void {
    this.#stream.once("drain", goOn);
  }
}

/** On a view, because only a Buffer's search is the C library's. */
const hasNewline = (json: Uint8Array): boolean =>
  Buffer.from(json.buffer, json.byteOffset, json.length).includes(NEWLINE);
