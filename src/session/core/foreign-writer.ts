import type { Row } from "../../engine/recovery/transcript.ts";
import type { Inbox } from "./inbox.ts";
import type { Recorder } from "./recorder.ts";

/**
 * Notices that somebody else speaks in the session, as with a `claude --resume` of their own. Our CLI does
 * not know those words, and would go on beside them: so the next message waits until a person has agreed.
 */
export class ForeignWriter {
  readonly #recorder: Recorder;
  readonly #inbox: Inbox;
  /** Only what comes behind words of ours is news: a session may have begun in another program. */
  #ourTurn = false;
  /** Who spoke since our last words, by the requests about it, oldest first. */
  #foreign: string[] = [];

  constructor(recorder: Recorder, inbox: Inbox) {
    this.#recorder = recorder;
    this.#inbox = inbox;
    // Asked by a host before this one.
    if (this.#requestId !== undefined) inbox.hold();
  }

  /** No other notice asks for anything. */
  get #requestId(): string | undefined {
    const [id] = this.#recorder.state.notices.keys();
    return id;
  }

  /**
   * Rows of the session's transcript, in order. Those of others that our own words follow have been agreed to
   * before, or nothing of ours would stand behind them.
   */
  take(rows: readonly Row[]): void {
    for (const row of rows) this.#note(row);
    const { resolved } = this.#recorder.state;
    const isResolved = (id: string): boolean => resolved.has(id);
    const [first] = this.#foreign.slice(this.#foreign.findLastIndex(isResolved) + 1);
    if (first === undefined || this.#requestId !== undefined) return;
    this.#inbox.hold();
    this.#recorder.tell({
      type: "notice",
      code: "foreign_writer",
      message: "Somebody else has written to this session. The next message waits.",
      hint: "Approve this request_id to go on behind their words, or deny it to drop what waits.",
      request_id: first,
    });
  }

  #note({ type, uuid, isMeta, isSidechain, promptSource }: Row): void {
    if (type !== "user" || uuid === undefined || isMeta === true || isSidechain === true) return;
    if (this.#inbox.isOurs(uuid)) {
      this.#ourTurn = true;
      this.#foreign = [];
      return;
    }
    // Results of tools have no source; what the CLI says to itself has that of the system.
    if (promptSource === undefined || promptSource === "system" || !this.#ourTurn) return;
    this.#foreign.push(`foreign_${uuid}`);
  }

  isAbout(requestId: string): boolean {
    return this.#recorder.state.notices.has(requestId);
  }

  /** A person has decided. The messages that wait are to go on, once a CLI has read the foreign words. */
  resolve(allowed: boolean, by: string | undefined): void {
    const request_id = this.#requestId;
    if (request_id === undefined) return;
    if (!allowed) this.#inbox.dropWaiting();
    // All that they have said by now, as the next host has to know: so also the last of it.
    for (const id of new Set([request_id, this.#foreign.at(-1) ?? request_id])) {
      this.#recorder.tell({
        type: "approval_resolved",
        request_id: id,
        outcome: allowed ? "allowed" : "denied",
        ...(by !== undefined && { by }),
      });
    }
    this.#inbox.release();
  }
}
