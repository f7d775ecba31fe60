import type { Delivery } from "../../bus/bus.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamEventOf } from "../../wire/team-events.ts";
import type { Task } from "../../wire/team-task.ts";
import type { CCMessage } from "../../wire/team.ts";
import { wantsAnswer } from "../messages/kind.ts";
import type { Office } from "../office.ts";
import { Leases } from "./leases.ts";

type MessageStep = TeamEventOf<"message_moved">["step"];

/** Deliveries on their way to one recipient: each is leased until it is known what became of it, and people are told. */
export class Deliveries {
  readonly #office: Office;
  readonly #leases: Leases;

  constructor(office: Office, leaseMs: number) {
    this.#office = office;
    this.#leases = new Leases(leaseMs);
  }

  keep(delivery: Delivery): void {
    this.#leases.keep(delivery);
  }

  close(): void {
    this.#leases.close();
  }

  /** The conversation has it: it will not be delivered again. */
  async settle(delivery: Delivery, step: "seen" | "returned"): Promise<void> {
    const { communication, parts, tasks } = this.#office;
    const { message } = delivery;
    this.#leases.drop(delivery);
    const isFirst = await delivery.ack();
    if (!isFirst) return;
    this.tell(message, step);
    if (step === "returned") parts.settle(message.id);
    communication.delivered(message);
    if (wantsAnswer(message)) tasks.step(message.id, "delivered");
  }

  /** Nothing is held against the message: it is free for the next claim, at once or after a while. */
  async giveBack(delivery: Delivery, delayMs = 0): Promise<void> {
    this.#leases.drop(delivery);
    await delivery.nak({ counted: false, delayMs });
  }

  /** The session was lost with it, and it may be what the session cannot bear: such attempts are counted. */
  async lose(delivery: Delivery, why: string): Promise<void> {
    this.#leases.drop(delivery);
    await delivery.nak({ why });
  }

  /** Nobody waits for it any more: it was canceled, took too long, or its agent was given up. */
  async withdraw(delivery: Delivery, { state }: Task): Promise<void> {
    const { message } = delivery;
    this.#leases.drop(delivery);
    if (!(await delivery.ack())) return;
    const reason = `its task had ended before (${state})`;
    this.tell(message, "withdrawn", reason);
    this.#office.communication.failed(message, errorOf("aborted", `Not delivered: ${reason}.`));
  }

  /** It becomes a dead letter. */
  async fail(delivery: Delivery, why: string): Promise<void> {
    this.#leases.drop(delivery);
    await delivery.term(why);
  }

  tell({ id, from_agent, to_agent }: CCMessage, step: MessageStep, reason?: string): void {
    this.#office.timeline.append({
      type: "message_moved",
      id,
      from_agent,
      to_agent,
      step,
      ...(reason !== undefined && { reason }),
    });
  }
}
