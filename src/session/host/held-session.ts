import type { Logger } from "../../log/logger.ts";
import type { EventLog } from "../log/event-log.ts";
import type { LogPlaces } from "../place/log-places.ts";
import type { SessionLock } from "../place/session-lock.ts";
import { lockSession } from "../place/session-lock.ts";

/** Where a host can be reached. */
export interface Doors {
  socket: string;
  observe_socket?: string;
}

/** The lock of the session that a host runs, also when the CLI changes the session's id. */
export class HeldSession {
  readonly #cwd: string;
  readonly #places: LogPlaces;
  readonly #logger: Logger;
  #sessionId: string;
  /** The id under which the log is found. */
  #noted: string;
  #noteFailed = false;
  #lock: SessionLock;
  #unfollow: (() => void) | undefined;
  #changing: Promise<void> = Promise.resolve();

  private constructor(
    lock: SessionLock,
    sessionId: string,
    cwd: string,
    places: LogPlaces,
    logger: Logger,
  ) {
    this.#lock = lock;
    this.#sessionId = sessionId;
    this.#noted = sessionId;
    this.#cwd = cwd;
    this.#places = places;
    this.#logger = logger;
  }

  /** @throws `session_in_use` */
  static async take(
    sessionId: string,
    cwd: string,
    places: LogPlaces,
    logger: Logger,
  ): Promise<HeldSession> {
    const lock = await lockSession(sessionId, cwd);
    return new HeldSession(lock, sessionId, cwd, places, logger);
  }

  /** Tells where the host is, and goes along when the session's id changes. */
  follow(log: EventLog, directory: string, doors: Doors): void {
    const facts = { log_id: log.logId, ...doors };
    this.#lock.announce(facts);
    this.#unfollow = log.subscribe(() => {
      const { sessionId } = log.state;
      if (sessionId === undefined) return;
      if (sessionId !== this.#noted) this.#note(sessionId, directory);
      if (sessionId === this.#sessionId) return;
      this.#sessionId = sessionId;
      this.#changing = this.#changing.then(() => this.#change(sessionId, facts));
    });
  }

  async release(): Promise<void> {
    this.#unfollow?.();
    await this.#changing;
    this.#lock.release();
  }

  /** When the disk refuses, it is tried again with the next event. */
  #note(sessionId: string, directory: string): void {
    try {
      this.#places.assign(sessionId, directory);
      this.#places.forget(this.#noted);
      this.#noted = sessionId;
      this.#noteFailed = false;
    } catch (err) {
      const message = "the log's new session id could not be noted";
      if (!this.#noteFailed) this.#logger.error({ err, session_id: sessionId }, message);
      this.#noteFailed = true;
    }
  }

  async #change(sessionId: string, facts: Parameters<SessionLock["announce"]>[0]): Promise<void> {
    const old = this.#lock;
    try {
      this.#lock = await lockSession(sessionId, this.#cwd);
      this.#lock.announce(facts);
      old.release();
    } catch (err) {
      this.#logger.error({ err, session_id: sessionId }, "the new session id could not be locked");
    }
  }
}
