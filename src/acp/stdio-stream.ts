import type { Readable, Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { parseJson } from "../wire/json-payload.ts";
import { encodeLine, LineSplitter } from "../wire/lines.ts";
import { isRecord } from "../wire/json.ts";
import { toRequestError } from "./to-request-error.ts";

/** A prompt may carry pictures; the session itself takes lines of ten megabytes. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** How long the answers to requests may take that came before the end of the input. */
const ANSWER_MS = 2_000;

type Unknown = Readonly<Record<string, unknown>>;

/** Requests of the editor that are to be answered even when it has closed its end. A prompt is not: it may take hours. */
class OpenCalls {
  readonly #ids = new Set<unknown>();
  #wake: (() => void) | undefined;

  came({ id, method }: Unknown): void {
    if (method !== undefined && id !== undefined && method !== "session/prompt") this.#ids.add(id);
  }

  answered({ id, method }: Unknown): void {
    if (method !== undefined || !this.#ids.delete(id) || this.#ids.size > 0) return;
    this.#wake?.();
  }

  async settled(): Promise<void> {
    if (this.#ids.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, ANSWER_MS).unref();
    });
  }
}

/**
 * JSON Lines in both directions, in the SDK's form. What is no message is answered with an error and does not end the
 * connection, which ends with the input.
 */
export function stdioStream(input: Readable, output: Writable): Stream {
  const calls = new OpenCalls();
  const write = (message: unknown): Promise<void> =>
    new Promise((resolve, reject) => {
      output.write(encodeLine(message, MAX_LINE_BYTES), (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  const readable = new ReadableStream<AnyMessage>({
    async start(controller) {
      const lines = new LineSplitter(MAX_LINE_BYTES);
      try {
        for await (const chunk of input) {
          for (const split of lines.push(chunk as Uint8Array)) {
            const parsed = split.ok ? parseJson(split.bytes) : split;
            if (parsed.ok) {
              if (isRecord(parsed.value)) calls.came(parsed.value);
              // The SDK refuses what is no message, and batches.
              controller.enqueue(parsed.value as AnyMessage);
            } else {
              const error = toRequestError(parsed.error).toErrorResponse();
              await write({ jsonrpc: "2.0", id: null, error });
            }
          }
        }
      } catch {
        // The editor is gone; that is an end like any other.
      }
      await calls.settled();
      controller.close();
    },
  });
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      await write(message);
      if (isRecord(message)) calls.answered(message);
    },
  });
  return { readable, writable };
}
