import type { Socket } from "node:net";
import { holdWriteErrors } from "../../net/hold-write-errors.ts";
import { connectOwnSocket } from "../../net/socket-file/connect-own-socket.ts";
import { reasonOf } from "../../files/system-error-code.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import { frameBytes, FrameSplitter } from "../../wire/frame.ts";
import { MAX_MESSAGE_BYTES } from "../../wire/json-payload.ts";
import type { Split } from "../../wire/splitter.ts";

const CONNECT_TIMEOUT_MS = 10_000;
/** Three messages of the largest size; only a host that has stopped reading leaves more waiting. */
const MAX_QUEUED_BYTES = 3 * MAX_MESSAGE_BYTES;
const HEADER_BYTES = 4;
/** From this size on, a second write is cheaper than copying the body. */
const LARGE_BYTES = 65_536;

export interface LinkOptions {
  readonly path: string;
  /** Gets each frame in order. */
  readonly receive: (frame: Split) => void;
  /** Larger frames arrive as errors. */
  readonly maxFrameBytes?: number;
}

/** One try to connect. @throws `connection_failed`. */
export async function openLink(options: LinkOptions): Promise<HostLink> {
  const { path } = options;
  let socket: Socket;
  try {
    socket = await connectOwnSocket(path, CONNECT_TIMEOUT_MS);
  } catch (cause) {
    throw connectionFailed(path, reasonOf(cause));
  }
  return new HostLink(socket, options);
}

/**
 * A connection to the host. It does not use our channels: a call through the bridge takes less than a tenth of a
 * millisecond, and their promises would be a large part of that.
 */
export class HostLink {
  /** Resolves once, with `connection_lost`, when everything that arrived has been received. */
  readonly ended: Promise<ClaudeCodeError>;
  readonly #path: string;
  readonly #socket: Socket;

  constructor(socket: Socket, { path, receive, maxFrameBytes = MAX_MESSAGE_BYTES }: LinkOptions) {
    this.#path = path;
    this.#socket = socket;
    let why = "the host closed it";
    // What the host sent before it left is still read, even when writing fails.
    const fail = (error: Error): void => void (why = error.message);
    holdWriteErrors(socket, fail);
    socket.on("error", fail);
    const frames = new FrameSplitter(maxFrameBytes);
    socket.on("data", (chunk) => frames.push(chunk).forEach(receive));
    socket.on("end", () => socket.destroy());
    this.ended = new Promise((resolve) => {
      socket.on("close", () => resolve(connectionLost(path, why)));
    });
  }

  /** @throws `message_too_large`, `queue_full` or `connection_failed`; then nothing was sent. */
  send(body: Uint8Array): void {
    const socket = this.#socket;
    const queued = socket.writableLength;
    if (!this.isOpen) throw connectionFailed(this.#path, "it has just ended");
    if (queued > 0 && queued + body.length > MAX_QUEUED_BYTES) throw hostBusy(this.#path, queued);
    if (body.length < LARGE_BYTES || body.length > MAX_MESSAGE_BYTES) {
      socket.write(frameBytes(body));
    } else {
      const header = Buffer.allocUnsafe(HEADER_BYTES);
      header.writeUInt32BE(body.length);
      socket.cork();
      socket.write(header);
      socket.write(body);
      socket.uncork();
    }
  }

  /** False as soon as the host is seen to have left: a little before `ended` resolves. */
  get isOpen(): boolean {
    return this.#socket.writable;
  }

  get isPaused(): boolean {
    return this.#socket.isPaused();
  }

  /** Stops reading from the host. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Nothing has reached the host. */
export function connectionFailed(path: string, why: string): ClaudeCodeError {
  return errorOf("connection_failed", `Could not connect to the tool host at ${path}: ${why}.`, {
    hint: "Nothing was sent, so no call ran. Start the program that offers the tools, then call again.",
    data: { path },
  });
}

function connectionLost(path: string, why: string): ClaudeCodeError {
  return errorOf(
    "connection_lost",
    `The connection to the tool host at ${path} was lost: ${why}.`,
    {
      hint: "The call may have run. Check its effect before you call again.",
      data: { path },
    },
  );
}

function hostBusy(path: string, queued: number): ClaudeCodeError {
  const message = `The tool host at ${path} does not read its input: ${queued} bytes are queued.`;
  return errorOf("queue_full", message, {
    hint: "The call was not sent, so it did not run. Call again when earlier calls have ended.",
    data: { path, queued },
  });
}
