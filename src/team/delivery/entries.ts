import type { Delivery } from "../../bus/bus.ts";
import type { CCMessage } from "../../wire/team/messages.ts";
import { isAnswer } from "../messages/message-types.ts";
import { LEASE_MS } from "./claim-next-message.ts";
import type { Stage } from "./stage.ts";
import { isLeased, isOver, WAITING } from "./stage.ts";
import type { Subject } from "./turn-tasks.ts";

/** One message on its way to one recipient. */
export interface DeliveryEntry {
  readonly message: CCMessage;
  stage: Stage;
  /** The newest lease on it. */
  delivery: Delivery | undefined;
  /** What a turn with it is about; known once the inbox has looked at it. */
  subject: Subject;
  /** For `time_over`. */
  timer: NodeJS.Timeout | undefined;
}

/** All messages that are on their way to one recipient. */
export class Entries {
  readonly #byId = new Map<string, DeliveryEntry>();

  get(id: string): DeliveryEntry | undefined {
    return this.#byId.get(id);
  }

  all(): DeliveryEntry[] {
    return [...this.#byId.values()];
  }

  /** A message that is not known yet is in the inbox of the bus. */
  of(message: CCMessage): DeliveryEntry {
    const known = this.#byId.get(message.id);
    if (known) return known;
    const entry: DeliveryEntry = {
      message,
      stage: WAITING,
      delivery: undefined,
      subject: { kind: "other" },
      timer: undefined,
    };
    this.#byId.set(message.id, entry);
    return entry;
  }

  /** Removes an entry if nothing about it has to be remembered. */
  forget({ message: { id }, stage }: DeliveryEntry): void {
    if (isOver(stage)) this.#byId.delete(id);
  }

  /** A lease that cannot be renewed goes to another claim; the settling of the message finds that out. */
  renewLeases(): void {
    for (const { stage, delivery } of this.all()) {
      if (isLeased(stage)) delivery?.extend(LEASE_MS).catch(() => {});
    }
  }

  /** Pushed messages that start a turn, and that the conversation does not have yet. */
  loud(): string[] {
    return this.#idsWhere((stage) => stage.at === "pushed" && !stage.quiet);
  }

  /** Questions that calls have returned, and that the running turn has to answer. */
  questions(): string[] {
    return this.#idsWhere((stage) => stage.at === "arrived" && stage.inTurn);
  }

  /** The conversation has them, and a process after this one could not know that. */
  unsettled(): DeliveryEntry[] {
    return this.all().filter(
      ({ stage }) => stage.at === "arrived" && ["settle", "note"].includes(stage.inbox),
    );
  }

  /** It was pushed quietly, or the result of a call has brought it: it starts no turn of its own. */
  startsNoTurn(id: string): boolean {
    const stage = this.get(id)?.stage;
    if (stage?.at === "arrived") return stage.how === "returned";
    return stage?.at === "pushed" && stage.quiet;
  }

  /** The answer to this message comes, or has just come, as a message of its own. */
  hasPushedAnswerTo(messageId: string): boolean {
    return this.all().some(({ message, stage }) => {
      const isPushed = stage.at === "pushed" || ("how" in stage && stage.how === "seen");
      return isPushed && message.reply_to === messageId && isAnswer(message);
    });
  }

  #idsWhere(fits: (stage: Stage) => boolean): string[] {
    return this.all().flatMap(({ message, stage }) => (fits(stage) ? [message.id] : []));
  }
}
