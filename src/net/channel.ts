import type { Duplex } from "node:stream";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import { closeSocket } from "./close-socket.ts";
import type { Codec } from "./codec.ts";
import { holdWriteErrors } from "./hold-write-errors.ts";

/** Three messages of the largest size. */
const DEFAULT_MAX_QUEUED_BYTES = 32 * 1024 * 1024;
const NOTHING = new Uint8Array(0);

export type ChannelEnd =
  /** The peer has sent everything. It may still read: answer, then close. */
  | { reason: "peer_closed" }
  /** This side closed. */
  | { reason: "closed" }
  | { reason: "lost"; error: ClaudeCodeError };

/**
 * Messages over a socket. Iterate once: messages and errors come in the order of the stream, the peer is slowed down
 * to the pace of the loop, and the loop ends when everything that arrived has been returned, whatever ended the
 * connection.
 */
export interface Channel<Sent, Received> extends AsyncIterable<Received>, AsyncDisposable {
  /**
   * Resolves when the kernel has the message. Awaiting each one keeps the pace of the peer.
   *
   * @throws what the codec throws; `queue_full`; `connection_lost`.
   */
  send(value: Sent): Promise<void>;

  /**
   * Queues finished bytes; do not change them until they are sent. Returns false, and queues nothing, when the queue
   * would exceed its bound or the channel no longer sends. An empty queue takes a message of any size.
   */
  trySend(bytes: Uint8Array): boolean;

  /** Resolves when the kernel has everything queued so far. @throws `connection_lost`. */
  drained(): Promise<void>;

  readonly queuedBytes: number;

  /** Settles when the loop has taken everything that will ever arrive, or the socket is closed. Never rejects. */
  readonly ended: Promise<ChannelEnd>;

  /** Hands queued bytes to the kernel, in bounded time, and closes. Idempotent. */
  close(): Promise<void>;
}

/** Takes over the socket: from now on only the channel reads, writes and closes it. */
export function channel<Sent, Received>(
  socket: Duplex,
  codec: Codec<Sent, Received>,
  { maxQueuedBytes = DEFAULT_MAX_QUEUED_BYTES }: { maxQueuedBytes?: number } = {},
): Channel<Sent, Received> {
  const ended = Promise.withResolvers<ChannelEnd>();
  const unsent = new Set<(error: ClaudeCodeError) => void>();
  let failure: Error | undefined;
  let wakeReader: (() => void) | undefined;

  const fail = (error: Error): void => {
    failure ??= error;
    for (const reject of unsent) reject(connectionLost(failure));
    unsent.clear();
    if (socket.readableEnded) socket.destroy();
  };

  holdWriteErrors(socket, fail);
  socket.on("error", fail);
  socket.on("readable", () => wakeReader?.());
  socket.once("end", () => {
    ended.resolve(failure ? lost(failure) : { reason: "peer_closed" });
    // Nothing to read and no way to write.
    if (failure) socket.destroy();
    wakeReader?.();
  });
  socket.once("close", () => {
    ended.resolve(failure ? lost(failure) : { reason: "closed" });
    fail(new Error("it was closed"));
    wakeReader?.();
  });

  async function* receive(): AsyncGenerator<Received, void, undefined> {
    const splitter = codec.createSplitter();
    for (;;) {
      // Also after an error: a destroyed socket still returns what it had read.
      const chunk = socket.read() as Uint8Array | null;
      if (chunk !== null) {
        for (const split of splitter.push(chunk)) yield codec.decode(split);
      } else if (socket.readableEnded || socket.closed) {
        break;
      } else {
        await new Promise<void>((resolve) => (wakeReader = resolve));
      }
    }
    const cutOff = splitter.end();
    const { reason } = await ended.promise;
    if (cutOff && reason !== "closed") yield codec.decode({ ok: false, error: cutOff });
  }

  const canSend = (): boolean => failure === undefined && socket.writable;

  const hasRoomFor = (bytes: Uint8Array): boolean =>
    socket.writableLength === 0 || socket.writableLength + bytes.length <= maxQueuedBytes;

  const write = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      unsent.add(reject);
      socket.write(bytes, (error) => {
        // After an error the socket is about to close, which rejects everything unsent.
        if (!error && unsent.delete(reject)) resolve();
      });
    });

  const close = (): Promise<void> => {
    if (failure) socket.destroy();
    return closeSocket(socket);
  };

  const messages = receive();
  return {
    async send(value) {
      const bytes = codec.encode(value);
      if (!canSend()) throw connectionLost(failure);
      if (!hasRoomFor(bytes)) throw queueFull(bytes.length, socket.writableLength, maxQueuedBytes);
      await write(bytes);
    },
    trySend(bytes) {
      if (!canSend() || !hasRoomFor(bytes)) return false;
      socket.write(bytes);
      return true;
    },
    async drained() {
      if (!canSend()) throw connectionLost(failure);
      if (socket.writableLength > 0) await write(NOTHING);
    },
    get queuedBytes() {
      return socket.writableLength;
    },
    ended: ended.promise,
    close,
    [Symbol.asyncIterator]: () => messages,
    [Symbol.asyncDispose]: close,
  };
}

const lost = (cause: Error): ChannelEnd => ({ reason: "lost", error: connectionLost(cause) });

function connectionLost(cause: Error | undefined): ClaudeCodeError {
  const why = cause?.message ?? "this side has ended it";
  return errorOf("connection_lost", `The connection is gone: ${why}.`, { cause });
}

function queueFull(bytes: number, queued: number, limit: number): ClaudeCodeError {
  const message = `A message of ${bytes} bytes does not fit: ${queued} of ${limit} bytes are queued.`;
  return errorOf("queue_full", message, { data: { bytes, queued, limit } });
}
