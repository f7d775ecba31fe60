import type { Bus, Delivery } from "../../bus/bus.ts";
import type { Accept } from "../../bus/lanes.ts";
import type { SessionClient } from "../../client/session-client.ts";
import type { AgentId, CCMessage } from "../../wire/team.ts";
import type { AgentSpec } from "../file/team.ts";
import { envelopeOf } from "../messages/envelope.ts";
import { isAnswer, isControl, isQuiet, pushPriority, wantsAnswer } from "../messages/kind.ts";
import { SWITCHBOARD, USER } from "../messages/user.ts";
import type { Office } from "../office.ts";
import { tellTrouble } from "../office.ts";
import { Handover } from "./handover.ts";
import { Leases } from "./leases.ts";

/** What the courier has to know of the agent that it serves. */
export interface Recipient {
  readonly spec: AgentSpec;
  /** Its session, when it can take messages. */
  readonly session: SessionClient | undefined;
  /** The session's conversation has this message, as far as is known. */
  hasSeen(id: string): boolean;
  /** A turn is running, or is about to. */
  readonly isBusy: boolean;
  readonly isAsleep: boolean;
  /** Why nothing can be given to it, for this message; undefined when it can. */
  refusalOf(message: CCMessage): Promise<Error | undefined>;
  /** The id of an open call that waits for the answer to this message. */
  openCallFor(messageId: string): string | undefined;
  wake(): void;
  /** A question came in the result of a call: the running turn has to deal with it. */
  gotQuestion(id: string): void;
}

const RETURNED = "returned";

const LEASE_MS = 60_000;
/** How long the bridge tries to send a call again after this process was restarted, and a little more. */
const RESEND_MS = 35_000;
const DEPENDENCY_MS = 500;

const midTurn: readonly Accept[] = [{ lanes: ["answer", "control"] }, { priorities: ["urgent"] }];
/** What is quiet waits for the next time that the agent is awake anyway. */
const wakening: readonly Accept[] = [
  { lanes: ["work", "answer", "control"] },
  { priorities: ["urgent"] },
];

/**
 * Brings the messages of one inbox into one session. A message is leased from the bus until the session's
 * conversation has it; pushing it twice does no harm, because the session takes an id once.
 */
export class Courier {
  readonly #office: Office;
  readonly #to: Recipient;
  readonly #leases: Leases;
  readonly #handover: Handover;
  /** Pushed into the session, not yet seen in its conversation. */
  readonly #pushed = new Map<string, Delivery>();
  #wake: AbortController | undefined;
  #stopped = false;
  #loop: Promise<void> | undefined;

  constructor(office: Office, to: Recipient) {
    this.#office = office;
    this.#to = to;
    this.#leases = new Leases(LEASE_MS);
    this.#handover = new Handover(office.waits);
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Something has changed: what may be taken is decided anew. */
  poke(): void {
    this.#wake?.abort();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.poke();
    await this.#loop;
    this.#leases.close();
  }

  /** The conversation has the message: it will not be delivered again. */
  async seen(id: string): Promise<void> {
    const delivery = this.#pushed.get(id);
    if (!delivery) return;
    this.#pushed.delete(id);
    await this.#settle(delivery, "seen");
  }

  /** The session will not give the message to its model. */
  async dropped(id: string, reason: string): Promise<void> {
    const delivery = this.#pushed.get(id);
    if (!delivery) return;
    this.#pushed.delete(id);
    await this.#fail(delivery, `The session dropped it (${reason}).`);
  }

  /** A call has its result. If an answer was handed over in it, that one is delivered; else it is pushed. */
  async callEnded(callId: string, output: string): Promise<void> {
    for (const { message, delivery, carried } of this.#handover.ended(callId, output)) {
      if (!delivery && carried) await this.#returned(message);
      else if (delivery && carried) await this.#settle(delivery, "returned");
      else if (delivery) await this.#push(delivery);
    }
  }

  /** A question under whose answer somebody waits goes to the waiter at once, though it is in mid-turn. */
  offerQuestion(message: CCMessage): void {
    if (wantsAnswer(message)) this.#handover.give(message);
  }

  /** The conversation was compacted: what the agent has on its desk must not be forgotten with it. */
  async remind(): Promise<void> {
    const { session, spec } = this.#to;
    const open = this.#office.tasks.openOf(spec.id).filter(({ state }) => state !== "submitted");
    if (!session || open.length === 0) return;
    const lines = open.map(
      ({ id, from_agent, title, state }) => `- ${id} from ${from_agent} (${state}): ${title}`,
    );
    await session.send(
      ["Your conversation was shortened. These tasks are still open on your desk:", ...lines].join(
        "\n",
      ),
      { from: SWITCHBOARD, quiet: true },
    );
  }

  /** The turn is over: no call of it will carry anything any more. */
  async turnEnded(): Promise<void> {
    for (const delivery of this.#handover.release()) await this.#push(delivery);
    this.poke();
  }

  /** The session is gone. What it had not put into its conversation is given to the next one. */
  async sessionLost(why: string): Promise<void> {
    const pushed = [...this.#pushed.values()];
    this.#pushed.clear();
    for (const delivery of this.#handover.release()) await this.#giveBack(delivery);
    for (const delivery of pushed) {
      this.#leases.drop(delivery);
      // It may be what the session cannot bear.
      await delivery.nak({ why });
    }
    this.poke();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        const delivery = await this.#claim();
        if (delivery) await this.#deliver(delivery);
      } catch (error) {
        if (this.#stopped) return;
        tellTrouble(this.#office, `The inbox of ${this.#to.spec.id} could not be read`, error);
        await pause(1000);
      }
    }
  }

  async #claim(): Promise<Delivery | undefined> {
    const wake = new AbortController();
    this.#wake = wake;
    const { session, isBusy, isAsleep, spec } = this.#to;
    if (!session && !isAsleep) {
      await aborted(wake.signal);
      return undefined;
    }
    const accept = isAsleep ? wakening : isBusy ? midTurn : undefined;
    const [delivery] = await this.#bus.claim(spec.id, {
      leaseMs: LEASE_MS,
      signal: wake.signal,
      ...(accept && { accept }),
    });
    return delivery;
  }

  get #bus(): Bus {
    return this.#office.bus;
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { message } = delivery;
    this.#leases.keep(delivery);
    if (isControl(message)) return this.#settle(delivery, "returned");
    if (this.#to.isAsleep) return this.#wakeFor(delivery);
    if (this.#to.hasSeen(message.id)) return this.#settle(delivery, "seen");
    if (await this.#wasReturned(message)) return this.#settle(delivery, "returned");
    if (await this.#isHeldUp(delivery)) return;
    if (await this.#handOver(delivery)) return;
    await this.#push(delivery);
  }

  async #wakeFor(delivery: Delivery): Promise<void> {
    this.#to.wake();
    await this.#giveBack(delivery);
  }

  /** Kept, because the question itself is still in the inbox then. */
  async #returned(question: CCMessage): Promise<void> {
    const { id } = question;
    await this.#bus.records.write([{ kind: "put", collection: RETURNED, key: id, value: {} }]);
    this.#office.tasks.step(id, "delivered");
    this.#to.gotQuestion(id);
  }

  async #wasReturned(message: CCMessage): Promise<boolean> {
    if (!wantsAnswer(message)) return false;
    return (await this.#bus.records.get(RETURNED, message.id)) !== undefined;
  }

  /** What a request depends on is not there, or there is nothing left to pay for it. */
  async #isHeldUp(delivery: Delivery): Promise<boolean> {
    const { message } = delivery;
    if (!wantsAnswer(message)) return false;
    const { tasks } = this.#office;
    for (const id of tasks.get(message.id)?.depends_on ?? []) {
      const needed = await tasks.find(id);
      if (needed?.state === "completed") continue;
      if (tasks.get(id)) await this.#giveBack(delivery, DEPENDENCY_MS);
      else await this.#fail(delivery, `The task ${id}, which it depends on, was not completed.`);
      return true;
    }
    const refusal = await this.#to.refusalOf(message);
    if (refusal) await this.#fail(delivery, refusal.message);
    return refusal !== undefined;
  }

  /** An answer for which a call waits goes into that call's result, not into the conversation. */
  async #handOver(delivery: Delivery): Promise<boolean> {
    const { message } = delivery;
    if (this.#handover.give(message, delivery)) return true;
    const { reply_to } = message;
    const call =
      reply_to === null || !isAnswer(message) ? undefined : this.#to.openCallFor(reply_to);
    if (call === undefined || reply_to === null) return false;
    // The call was made before this process was restarted: the bridge is about to send it again.
    const stop = this.#office.waits.onWait(reply_to, () => {
      clearTimeout(timer);
      stop();
      if (!this.#handover.give(message, delivery)) void this.#push(delivery);
    });
    const timer = setTimeout(() => {
      stop();
      void this.#push(delivery);
    }, RESEND_MS);
    return true;
  }

  async #push(delivery: Delivery): Promise<void> {
    const { message } = delivery;
    const { session, spec } = this.#to;
    if (!session) return this.#giveBack(delivery);
    if (this.#to.hasSeen(message.id)) return this.#settle(delivery, "seen");
    // Checked at the claim, and now again: it may have waited for long.
    if (delivery.isExpired()) return this.#giveBack(delivery);
    this.#pushed.set(message.id, delivery);
    if (isAnswer(message)) this.#office.waits.cameAsMessage(message);
    try {
      await session.send(...this.#inSessionTerms(message, spec.id));
    } catch (error) {
      if (this.#pushed.delete(message.id)) await this.#giveBack(delivery, 200);
      this.#office.log.warn({ err: error, message: message.id }, "A push failed.");
      return;
    }
    this.#tell(message, "pushed");
    // It may have been pushed by a process before this one, and seen by now.
    if (this.#to.hasSeen(message.id)) await this.seen(message.id);
  }

  /** The user's own words go to the lead as they are; what a peer says is never shown as the user's. */
  #inSessionTerms(message: CCMessage, to: AgentId): Parameters<SessionClient["send"]> {
    const { agents, limits } = this.#office.team;
    const { id, from_agent: from, metadata } = message;
    if (from === USER) {
      return [message.content, { id, priority: pushPriority(metadata.priority, true) }];
    }
    const mayInterrupt = agents.get(from)?.mayInterrupt.includes(to) ?? false;
    return [
      envelopeOf(message, limits.inline_bytes),
      {
        id,
        from,
        priority: pushPriority(metadata.priority, mayInterrupt),
        quiet: isQuiet(message),
      },
    ];
  }

  async #giveBack(delivery: Delivery, delayMs = 0): Promise<void> {
    this.#leases.drop(delivery);
    await delivery.nak({ counted: false, delayMs });
  }

  async #settle(delivery: Delivery, step: "seen" | "returned"): Promise<void> {
    const { message } = delivery;
    this.#leases.drop(delivery);
    const isFirst = await delivery.ack();
    if (!isFirst) return;
    this.#tell(message, step);
    if (step === "returned") this.#office.parts.settle(message.id);
    this.#office.communication.delivered(message);
    if (wantsAnswer(message)) this.#office.tasks.step(message.id, "delivered");
  }

  async #fail(delivery: Delivery, why: string): Promise<void> {
    this.#leases.drop(delivery);
    await delivery.term(why);
  }

  #tell({ id, from_agent, to_agent }: CCMessage, step: "pushed" | "seen" | "returned"): void {
    this.#office.timeline.append({ type: "message_moved", id, from_agent, to_agent, step });
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
