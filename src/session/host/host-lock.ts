import type { Logger } from "../../log/logger.ts";
import type { EventLog } from "../log/event-log.ts";
import type { LogIndex } from "../files/log-index.ts";
import type { SessionLock } from "../files/session-lock.ts";
import { lockSession } from "../files/session-lock.ts";

/** The sockets at which a host can be reached. */
export interface HostSockets {
  socket: string;
  observe_socket?: string;
}

/** A host's lock on its session. It moves with the session when the CLI changes the session's id. */
export class HostLock {
  readonly #cwd: string;
  readonly #places: LogIndex;
  readonly #logger: Logger;
  #sessionId: string;
  /** The id under which the log index has the log. */
  #noted: string;
  #noteFailed = false;
  #lock: SessionLock;
  #unfollow: (() => void) | undefined;
  #changing: Promise<void> = Promise.resolve();

  private constructor(
    lock: SessionLock,
    sessionId: string,
    cwd: string,
    places: LogIndex,
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
    places: LogIndex,
    logger: Logger,
  ): Promise<HostLock> {
    const lock = await lockSession(sessionId, cwd);
    return new HostLock(lock, sessionId, cwd, places, logger);
  }

  /** Announces the host's sockets, and moves the lock when the session's id changes. */
  follow(log: EventLog, directory: string, doors: HostSockets): void {
    const facts = { log_id: log.logId, ...doors };
    const keepNote = (): void => this.#note(this.#noted, directory);
    this.#lock.announce(facts);
    this.#lock.onPutBack = keepNote;
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

  /** If the disk refuses, the next event tries again. */
  #note(sessionId: string, directory: string): void {
    try {
      this.#places.assign(sessionId, directory);
      if (sessionId !== this.#noted) this.#places.forget(this.#noted);
      this.#noted = sessionId;
      this.#noteFailed = false;
    } catch (err) {
      const message = "the log's new session id could not be recorded";
      if (!this.#noteFailed) this.#logger.error({ err, session_id: sessionId }, message);
      this.#noteFailed = true;
    }
  }

  async #change(sessionId: string, facts: Parameters<SessionLock["announce"]>[0]): Promise<void> {
    const old = this.#lock;
    try {
      this.#lock = await lockSession(sessionId, this.#cwd);
      this.#lock.onPutBack = old.onPutBack;
      this.#lock.announce(facts);
      old.release();
    } catch (err) {
      this.#logger.error({ err, session_id: sessionId }, "the new session id could not be locked");
    }
  }
}
