import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { closeSocket } from "../../net/close-socket.ts";
import type { Timers } from "../../time/clock.ts";
import { gatewayCloseCodes, GATEWAY_PING_MS } from "../../wire/gateway.ts";
import { MAX_MESSAGE_BYTES } from "../../wire/json-payload.ts";
import type { Counts } from "./traffic-counts.ts";
import { closeWebSocket } from "./close-websocket.ts";
import type { Introduction } from "./introduce-person.ts";
import { LineCutter, lineOfFrame } from "./line-cutter.ts";

/** Above this a browser is slow, and its server has to wait. */
const PAUSE_ABOVE_BYTES = 1024 * 1024;
const RESUME_BELOW_BYTES = 256 * 1024;
/** A long line goes in parts, so that one can see whether a slow browser takes any of it. */
const PART_BYTES = 64 * 1024;
const MAX_MISSED_PINGS = 2;
/** A side that takes nothing for four pings, which is a minute, is given up. */
const MAX_STUCK_TICKS = 4;
/** How long a stuck browser has to take what is queued, and the reason of the close. */
const LAST_WORDS_MS = 5_000;

/** Codes of RFC 6455. */
const UNSUPPORTED_DATA = 1003;
const TOO_BIG = 1009;
const TRY_AGAIN_LATER = 1013;

interface RelayParts {
  readonly browser: WebSocket;
  readonly server: Socket;
  /** Says who the person is, before anything of theirs is passed on. */
  readonly introduction?: Introduction | undefined;
  readonly timers: Timers;
  readonly counts: Counts;
}

/** Lives as long as both sides do. */
export function startRelay(parts: RelayParts): void {
  void new Relay(parts);
}

/**
 * Passes bytes between a WebSocket and a Unix socket, and understands none of them: a text frame is a line without its
 * end. It holds at most about one line for each side. Ends when either side does.
 */
class Relay {
  readonly #parts: RelayParts;
  readonly #cutter = new LineCutter(MAX_MESSAGE_BYTES);
  #stopTimer: () => void;
  /** Until it is answered. */
  #introduction: Introduction | undefined;
  /** How often a part has left for the browser. */
  #flushed = 0;
  #flushedBefore = 0;
  #stuckTicks = 0;
  /** How long the server has not taken what the browser sent. */
  #pausedTicks = 0;
  #unanswered = 0;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    const { browser, server, introduction, timers } = parts;
    browser.on("message", (data, isBinary) => this.#up(data as Buffer, isBinary));
    browser.on("pong", () => (this.#unanswered = 0));
    browser.once("close", () => this.#browserGone());
    server.on("data", (chunk) => this.#down(chunk));
    server.once("end", () => this.#serverGone());
    server.once("close", () => this.#serverGone());
    this.#stopTimer = timers.after(GATEWAY_PING_MS, () => this.#tick());
    if (introduction) {
      this.#introduction = introduction;
      browser.pause();
      server.write(introduction.line);
    }
  }

  #up(frame: Buffer, isBinary: boolean): void {
    const { browser, server, counts } = this.#parts;
    // After a close, for example because the sign-in was revoked, nothing more is passed on.
    if (browser.readyState !== browser.OPEN) return;
    if (isBinary) return closeWebSocket(browser, UNSUPPORTED_DATA, "Frames must be text.");
    this.#unanswered = 0;
    counts.framesUp += 1;
    counts.bytesUp += frame.length;
    if (server.write(lineOfFrame(frame)) || !server.writable) return;
    browser.pause();
    server.once("drain", () => browser.resume());
  }

  #down(chunk: Uint8Array): void {
    const { browser, server, counts } = this.#parts;
    const lines = this.#cutter.push(chunk);
    if (!lines) return closeWebSocket(browser, TOO_BIG, "A line of the server is too long.");
    for (const line of lines) if (!this.#isOwn(line)) this.#send(line);
    if (browser.bufferedAmount <= PAUSE_ABOVE_BYTES || server.isPaused()) return;
    server.pause();
    counts.pauses += 1;
  }

  /** Whether the line answers our introduction. The browser is heard when the server has accepted it. */
  #isOwn(line: Uint8Array): boolean {
    const answer = this.#introduction?.answerIn(line);
    if (answer === undefined) return false;
    this.#introduction = undefined;
    if (answer.ok) this.#parts.browser.resume();
    else closeWebSocket(this.#parts.browser, gatewayCloseCodes.nameRefused, answer.why);
    return true;
  }

  #send(line: Uint8Array): void {
    const { browser, counts } = this.#parts;
    counts.framesDown += 1;
    counts.bytesDown += line.length;
    let start = 0;
    do {
      const part = line.subarray(start, start + PART_BYTES);
      start += PART_BYTES;
      browser.send(part, { binary: false, fin: start >= line.length }, this.#sent);
    } while (start < line.length);
  }

  readonly #sent = (error?: Error | null): void => {
    const { browser, server } = this.#parts;
    if (error) return;
    this.#flushed += 1;
    if (server.isPaused() && browser.bufferedAmount < RESUME_BELOW_BYTES) server.resume();
  };

  #tick(): void {
    const { browser, timers } = this.#parts;
    this.#stopTimer = timers.after(GATEWAY_PING_MS, () => this.#tick());
    const isStuck = browser.bufferedAmount > 0 && this.#flushed === this.#flushedBefore;
    this.#flushedBefore = this.#flushed;
    this.#stuckTicks = isStuck ? this.#stuckTicks + 1 : 0;
    if (this.#stuckTicks >= MAX_STUCK_TICKS) return this.#giveUp();
    this.#pausedTicks = browser.isPaused ? this.#pausedTicks + 1 : 0;
    if (this.#pausedTicks >= MAX_STUCK_TICKS) return this.#serverGone();
    if (this.#unanswered >= MAX_MISSED_PINGS) return browser.terminate();
    // A ping behind queued data says nothing of the browser, and one that is not heard cannot answer.
    if (browser.bufferedAmount > 0 || browser.isPaused) return;
    this.#unanswered += 1;
    browser.ping();
  }

  #giveUp(): void {
    const { browser, timers } = this.#parts;
    closeWebSocket(browser, TRY_AGAIN_LATER, "The browser took nothing for a minute.");
    this.#stopTimer();
    this.#stopTimer = timers.after(LAST_WORDS_MS, () => browser.terminate());
  }

  #serverGone(): void {
    closeWebSocket(
      this.#parts.browser,
      gatewayCloseCodes.upstreamGone,
      "The server is gone, or takes nothing.",
    );
  }

  #browserGone(): void {
    this.#stopTimer();
    // What the browser sent last still reaches its server.
    void closeSocket(this.#parts.server);
  }
}
