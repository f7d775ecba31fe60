import type { CliSupervisor } from "../cli-supervisor.ts";
import type { RequestAnswer } from "./decision-for-cli-and-log.ts";
import type { SessionContext } from "../session-context.ts";

/** A question to a person about the session itself, not about a tool call. */
export interface SessionQuestion {
  isAbout(requestId: string): boolean;
  /** A person has decided. No CLI runs; the next one is started afterwards. */
  resolve(allowed: boolean, by: string | undefined): void;
}

/** Carries out what a person decides about the session itself, before the next CLI starts. */
export class SessionQuestions {
  readonly #askers: readonly SessionQuestion[];
  readonly #life: CliSupervisor;
  readonly #parts: Pick<SessionContext, "turns" | "inbox" | "recorder">;
  /** Set while an answer is being carried out. */
  #running: Promise<void> | undefined;

  constructor(
    askers: readonly SessionQuestion[],
    life: CliSupervisor,
    parts: Pick<SessionContext, "turns" | "inbox" | "recorder">,
  ) {
    this.#askers = askers;
    this.#life = life;
    this.#parts = parts;
  }

  /** Returns false when the answer is about something else, or came too late. */
  async take({ type, request_id }: RequestAnswer, by: string | undefined): Promise<boolean> {
    const asker = this.#askers.find((each) => each.isAbout(request_id));
    if (!asker) return false;
    // The first answer wins.
    if (this.#running) {
      await this.#running;
      return false;
    }
    await this.#carryOut(asker, type !== "deny", by);
    return true;
  }

  async #carryOut(asker: SessionQuestion, allowed: boolean, by: string | undefined): Promise<void> {
    const { turns, inbox, recorder } = this.#parts;
    const over = Promise.withResolvers<void>();
    this.#running = over.promise;
    try {
      await turns.ended();
      inbox.shut();
      await this.#life.replace("close", () => asker.resolve(allowed, by));
      await recorder.durable();
    } finally {
      this.#running = undefined;
      over.resolve();
    }
  }
}
