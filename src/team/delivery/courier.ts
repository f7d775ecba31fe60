import type { Bus, Delivery } from "../../bus/bus.ts";
import type { Accept } from "../../bus/lanes.ts";
import type { MessageOver } from "../../wire/session-answers.ts";
import type { AgentId, CCMessage } from "../../wire/team.ts";
import { isAnswer, isControl, isQuiet, wantsAnswer } from "../messages/kind.ts";
import { SWITCHBOARD } from "../messages/user.ts";
import type { Office } from "../office.ts";
import { tellTrouble } from "../office.ts";
import type { Wait } from "../rules/waits.ts";
import { Deliveries } from "./deliveries.ts";
import type { Given } from "./handover.ts";
import { Handover } from "./handover.ts";
import type { HoldUp } from "./hold-ups.ts";
import { findHoldUp, mayStartNoTurn } from "./hold-ups.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { pendingQuestions, RETURNED } from "./pending-questions.ts";
import type { Recipient } from "./recipient.ts";
import { inSessionTerms } from "./session-terms.ts";

interface Pushed {
  readonly delivery: Delivery;
  readonly quiet: boolean;
}

const LEASE_MS = 60_000;
/** What cannot be delivered yet is claimed again after so long. */
const AGAIN_MS = 500;

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
  readonly #deliveries: Deliveries;
  readonly #handover: Handover;
  readonly #kept: KeptAnswers;
  /** Pushed into the session, not yet seen in its conversation. */
  readonly #pushed = new Map<string, Pushed>();
  #wake: AbortController | undefined;
  #stopped = false;
  #loop: Promise<void> | undefined;

  constructor(office: Office, to: Recipient) {
    this.#office = office;
    this.#to = to;
    this.#deliveries = new Deliveries(office, LEASE_MS);
    this.#handover = new Handover(office.waits, (call) => to.isOpenCall(call));
    this.#kept = new KeptAnswers(office.waits);
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
    this.#deliveries.close();
  }

  /** The conversation has the message: it will not be delivered again. */
  async seen(id: string): Promise<void> {
    const pushed = this.#pushed.get(id);
    if (!pushed) return;
    this.#pushed.delete(id);
    await this.#each([pushed.delivery], (delivery) => this.#deliveries.settle(delivery, "seen"));
  }

  /** The session will not give the message to its model. */
  async dropped(id: string, reason: string): Promise<void> {
    const pushed = this.#pushed.get(id);
    if (!pushed) return;
    this.#pushed.delete(id);
    const why = `The session dropped it (${reason}).`;
    await this.#each([pushed.delivery], (delivery) => this.#deliveries.fail(delivery, why));
  }

  /**
   * A call has its result. If an answer was handed over in it, that one is delivered; else it is pushed.
   *
   * @param carriedId the message that the result has brought.
   */
  async callEnded(callId: string, carriedId: string | undefined): Promise<void> {
    const given = this.#handover.ended(callId);
    const carried = given.find(({ message }) => message.id === carriedId);
    await this.#each(leasedOf(given), (delivery) =>
      delivery === carried?.delivery ? this.#settleCarried(delivery) : this.#push(delivery),
    );
    await this.#pushKept();
    if (carried && !carried.delivery) await this.#returned(carried.message);
    if (given.length === 0 && carriedId !== undefined) await this.#wasCarried(carriedId);
  }

  /** A question under whose answer somebody waits goes to the waiter at once, though it is in mid-turn. */
  offerQuestion(message: CCMessage): void {
    if (wantsAnswer(message)) this.#handover.give(message);
  }

  /** The same for those that were asked before this wait began. */
  async offerQuestions(wait: Wait): Promise<void> {
    const hasGot = (id: string): boolean => this.#to.hasSeen(id) || this.#to.hasCarried(id);
    const questions = await pendingQuestions(this.#bus, wait, hasGot);
    for (const question of questions) this.offerQuestion(question);
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
    await this.#each(leasedOf(this.#handover.release()), (delivery) => this.#push(delivery));
    await this.#pushKept();
    this.poke();
  }

  /** The session is gone. What it had not put into its conversation is given to the next one. */
  async sessionLost(why: string): Promise<void> {
    const pushed = [...this.#pushed.values()];
    this.#pushed.clear();
    const given = [...leasedOf(this.#handover.release()), ...this.#kept.release(() => false)];
    await this.#each(given, (delivery) => this.#deliveries.giveBack(delivery));
    await this.#each(
      pushed.map(({ delivery }) => delivery),
      (delivery) => this.#deliveries.lose(delivery, why),
    );
    this.poke();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        const delivery = await this.#claim();
        if (delivery) await this.#each([delivery], (one) => this.#deliver(one));
      } catch (error) {
        if (this.#stopped) return;
        tellTrouble(this.#office, `The inbox of ${this.#to.spec.id} could not be read`, error);
        await pause(1000);
      }
    }
  }

  /**
   * Never rejects. One that fails on its way holds up none of the others, and is claimed again; when not even
   * that can be said, as soon as its lease has run out.
   */
  async #each(
    deliveries: readonly Delivery[],
    act: (delivery: Delivery) => Promise<void>,
  ): Promise<void> {
    for (const delivery of deliveries) {
      try {
        await act(delivery);
      } catch (error) {
        const what = `A message to ${delivery.message.to_agent} has to wait`;
        if (!this.#stopped) tellTrouble(this.#office, what, error);
        await this.#deliveries.giveBack(delivery, AGAIN_MS).catch(() => {});
      }
    }
  }

  async #claim(): Promise<Delivery | undefined> {
    const wake = new AbortController();
    this.#wake = wake;
    const { session, isAsleep, spec } = this.#to;
    if (!session && !isAsleep) {
      await aborted(wake.signal);
      return undefined;
    }
    const accept = isAsleep ? wakening : this.#isBusy ? midTurn : undefined;
    const [delivery] = await this.#bus.claim(spec.id, {
      leaseMs: LEASE_MS,
      signal: wake.signal,
      ...(accept && { accept }),
    });
    return delivery;
  }

  /**
   * A turn runs, or is about to. The session may have taken a message and its word of that not be heard
   * yet: a second request that is given to it then would end up in one turn with the first.
   */
  get #isBusy(): boolean {
    return this.#to.isBusy || [...this.#pushed.values()].some(({ quiet }) => !quiet);
  }

  /** Whose requests the running turn is about: its final text answers them too. */
  #worksFor(): AgentId[] {
    if (!this.#isBusy) return [];
    const open = this.#office.tasks.openOf(this.#to.spec.id);
    const atWork = open.filter(({ state }) => state !== "submitted");
    return [...new Set(atWork.map(({ from_agent }) => from_agent))];
  }

  get #bus(): Bus {
    return this.#office.bus;
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { message } = delivery;
    this.#office.log.debug({ message: message.id, to: message.to_agent }, "A message was claimed.");
    this.#deliveries.keep(delivery);
    if (isControl(message)) return this.#deliveries.settle(delivery, "returned");
    if (this.#to.isAsleep) return this.#wakeFor(delivery);
    if (this.#to.hasSeen(message.id)) return this.#deliveries.settle(delivery, "seen");
    if (await this.#wasReturned(message)) return this.#deliveries.settle(delivery, "returned");
    const heldUp = await findHoldUp(this.#office, this.#to, message);
    if (heldUp) return this.#holdUp(delivery, heldUp);
    if (await this.#handOver(delivery)) return;
    await this.#push(delivery);
  }

  async #wakeFor(delivery: Delivery): Promise<void> {
    this.#to.wake();
    await this.#deliveries.giveBack(delivery);
  }

  async #settleCarried(delivery: Delivery): Promise<void> {
    const { message } = delivery;
    if (wantsAnswer(message)) this.#to.gotQuestion(message.id);
    await this.#deliveries.settle(delivery, "returned");
  }

  /** A process before this one handed it over, and was ended before it heard of that. */
  async #wasCarried(id: string): Promise<void> {
    const message = (await this.#bus.get(id))?.message;
    if (message?.to_agent === this.#to.spec.id && wantsAnswer(message)) {
      await this.#returned(message);
    }
  }

  /** Kept, because the question itself is still in the inbox then. */
  async #returned(question: CCMessage): Promise<void> {
    const { id } = question;
    this.#to.gotQuestion(id);
    await this.#bus.records.write([{ kind: "put", collection: RETURNED, key: id, value: {} }]);
    this.#office.tasks.step(id, "delivered");
  }

  async #wasReturned(message: CCMessage): Promise<boolean> {
    if (this.#to.hasCarried(message.id)) return true;
    if (!wantsAnswer(message)) return false;
    return (await this.#bus.records.get(RETURNED, message.id)) !== undefined;
  }

  #holdUp(delivery: Delivery, heldUp: HoldUp): Promise<void> {
    if (heldUp.kind === "ended") return this.#deliveries.withdraw(delivery, heldUp.task);
    if (heldUp.kind === "early") return this.#deliveries.giveBack(delivery, AGAIN_MS);
    return this.#deliveries.fail(delivery, heldUp.why);
  }

  /** An answer for which a call waits goes into that call's result, not into the conversation. */
  async #handOver(delivery: Delivery): Promise<boolean> {
    const { message } = delivery;
    if (this.#handover.give(message, delivery)) return true;
    const { reply_to } = message;
    const call =
      reply_to === null || !isAnswer(message) ? undefined : this.#to.openCallFor(reply_to);
    if (call === undefined || reply_to === null) return false;
    this.#kept.keep(delivery, reply_to, call, () => {
      if (this.#handover.give(message, delivery)) return;
      void this.#each([delivery], (one) => this.#push(one));
    });
    return true;
  }

  async #pushKept(): Promise<void> {
    const over = this.#kept.release((call) => this.#to.isOpenCall(call));
    await this.#each(over, (delivery) => this.#push(delivery));
  }

  async #push(delivery: Delivery): Promise<void> {
    const { message } = delivery;
    const quiet =
      isQuiet(message) ||
      (!this.#isBusy && (await mayStartNoTurn(this.#office, this.#to, message)));
    const { session } = this.#to;
    if (!session) return this.#deliveries.giveBack(delivery);
    // Checked at the claim, and now again: it may have waited for long, or a call have brought it meanwhile.
    if (this.#to.hasSeen(message.id)) return this.#deliveries.settle(delivery, "seen");
    if (this.#to.hasCarried(message.id)) return this.#settleCarried(delivery);
    if (delivery.isExpired()) return this.#deliveries.giveBack(delivery);
    const worksFor = this.#worksFor();
    this.#pushed.set(message.id, { delivery, quiet });
    if (isAnswer(message)) this.#office.waits.cameAsMessage(message);
    let over: MessageOver | undefined;
    try {
      ({ over } = await session.send(
        ...inSessionTerms(message, this.#office.team, quiet, worksFor),
      ));
    } catch (error) {
      if (this.#pushed.delete(message.id)) await this.#deliveries.giveBack(delivery, 200);
      this.#office.log.warn({ err: error, message: message.id }, "A push failed.");
      return;
    }
    if (quiet) this.#office.parts.settle(message.id);
    this.#deliveries.tellPushed(message);
    if (over) await this.#wasOver(message.id, over);
    // It may have been pushed by a process before this one, and seen by now.
    else if (this.#to.hasSeen(message.id)) await this.seen(message.id);
  }

  /**
   * A process before this one has pushed it, and what became of it was told before the place from which on this
   * one hears the session: nobody will tell it again.
   */
  async #wasOver(id: string, over: MessageOver): Promise<void> {
    if (over === "dropped") return this.dropped(id, "earlier");
    if (!this.#to.awaitsTurnOf(id)) this.#office.parts.settle(id);
    await this.seen(id);
  }
}

const leasedOf = (given: readonly Given[]): Delivery[] =>
  given.flatMap(({ delivery }) => delivery ?? []);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
