import type { Row } from "../../engine/recovery/index.ts";
import type { Inbox } from "./inbox.ts";
import type { Recorder } from "./event-recorder.ts";

const CODE = "foreign_writer";

/**
 * Notices that another program writes to the session, such as a `claude --resume`. Our CLI does not know those
 * messages and would continue without them, so the next message waits until a person agrees.
 */
export class ForeignWriter {
  readonly #recorder: Recorder;
  readonly #inbox: Inbox;
  /** Foreign rows count only after rows of ours: a session may have begun in another program. */
  #ourTurn = false;
  /** The request id for each foreign message since our last one, oldest first. */
  #foreign: string[] = [];

  constructor(recorder: Recorder, inbox: Inbox) {
    this.#recorder = recorder;
    this.#inbox = inbox;
    // An earlier host asked this.
    if (this.#requestId !== undefined) inbox.hold(CODE);
  }

  get #requestId(): string | undefined {
    const notices = [...this.#recorder.state.notices.values()];
    return notices.find(({ code }) => code === CODE)?.request_id;
  }

  /**
   * Takes rows of the session's transcript, in order. Foreign rows that are followed by ours were agreed to earlier;
   * otherwise ours would not be there.
   */
  take(rows: readonly Row[]): void {
    for (const row of rows) this.#note(row);
    const { resolved } = this.#recorder.state;
    const isResolved = (id: string): boolean => resolved.has(id);
    const [first] = this.#foreign.slice(this.#foreign.findLastIndex(isResolved) + 1);
    if (first === undefined || this.#requestId !== undefined) return;
    this.#inbox.hold(CODE);
    this.#recorder.record({
      type: "notice",
      code: CODE,
      message: "Another program has written to this session. The next message waits.",
      hint: "Approve this request to continue after what it wrote; deny it to drop the waiting messages.",
      request_id: first,
    });
  }

  #note({ type, uuid, isMeta, isSidechain, promptSource, origin }: Row): void {
    if (type !== "user" || uuid === undefined || isMeta === true || isSidechain === true) return;
    // The CLI writes notifications of background tasks itself, though CLIs up to 2.1.274 mark them as coming from
    // outside.
    if (origin?.kind === "task-notification") return;
    if (this.#inbox.isOurs(uuid)) {
      this.#ourTurn = true;
      this.#foreign = [];
      return;
    }
    // Tool results have no source; what the CLI writes to itself has the source `system`.
    if (promptSource === undefined || promptSource === "system" || !this.#ourTurn) return;
    this.#foreign.push(`foreign_${uuid}`);
  }

  isAbout(requestId: string): boolean {
    return this.#requestId === requestId;
  }

  /** A person has decided. The waiting messages continue once a CLI has read the foreign ones. */
  resolve(allowed: boolean, by: string | undefined): void {
    const request_id = this.#requestId;
    if (request_id === undefined) return;
    if (!allowed) this.#inbox.dropWaiting();
    // Resolves the request and the newest foreign message, so that the next host knows that all of them are settled.
    for (const id of new Set([request_id, this.#foreign.at(-1) ?? request_id])) {
      this.#recorder.record({
        type: "approval_resolved",
        request_id: id,
        outcome: allowed ? "allowed" : "denied",
        ...(by !== undefined && { by }),
      });
    }
    this.#inbox.release(CODE);
  }
}
