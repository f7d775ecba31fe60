import type { Delivery } from "../../bus/bus.ts";
import type { Task } from "../../wire/team-task.ts";
import type { CCMessage } from "../../wire/team.ts";
import type { Office } from "../office.ts";
import { Leases } from "./leases.ts";
import type { SettledStep } from "./settled-steps.ts";
import { tellStep, untoldStep } from "./settled-steps.ts";

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
    const { message } = delivery;
    if (!(await this.#leave(delivery, { step }))) return;
    if (step === "returned") this.#office.parts.settle(message.id);
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
    const reason = `its task had ended before (${state})`;
    await this.#leave(delivery, { step: "withdrawn", reason });
  }

  /** It becomes a dead letter. */
  async fail(delivery: Delivery, why: string): Promise<void> {
    this.#leases.drop(delivery);
    await delivery.term(why);
  }

  /** The session has taken it. */
  tellPushed({ id, from_agent, to_agent }: CCMessage): void {
    const moved = { id, from_agent, to_agent, step: "pushed" } as const;
    this.#office.timeline.append({ type: "message_moved", ...moved });
  }

  /** False when another claim has it, or it has left the inbox before. */
  async #leave(delivery: Delivery, settled: SettledStep): Promise<boolean> {
    const { message } = delivery;
    this.#leases.drop(delivery);
    const isFirst = await delivery.ack({ writes: [untoldStep(message, settled)] });
    if (isFirst) tellStep(this.#office, message, settled);
    return isFirst;
  }
}
