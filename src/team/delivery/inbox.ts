import { isDeepStrictEqual } from "node:util";
import type { Bus, Delivery } from "../../bus/bus.ts";
import type { Logger } from "../../log/logger.ts";
import type { DropOutcome } from "../../wire/session/answers.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import type { Task } from "../../wire/team/task.ts";
import type { Team } from "../file/team.ts";
import { errorOf } from "../../wire/errors.ts";
import { isAnswer, isControl, wantsAnswer } from "../messages/message-types.ts";
import type { Wait } from "../rules/check-wait-cycle.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { ClaimLoop } from "./claim-loop.ts";
import { claimNext, LEASE_MS } from "./claim-next-message.ts";
import type { DeliveryEntry } from "./entries.ts";
import { Entries } from "./entries.ts";
import type { Instant } from "./delivery-conditions.ts";
import { readConditions } from "./delivery-conditions.ts";
import { taskAwaitsParts } from "./task-awaits-parts.ts";
import type { Outbox } from "./outbox.ts";
import { pushMessage, takeBackMessage } from "./push-message.ts";
import type { Recipient } from "./recipient-port.ts";
import type { Effect, Fact } from "./stage.ts";
import { next } from "./stage.ts";
import type { OpenWait, Waits } from "./open-waits.ts";
import { pendingQuestions } from "./open-waits.ts";

export interface AgentInboxOptions {
  readonly recipient: Recipient;
  readonly bus: Bus;
  readonly tasks: TaskBook;
  readonly waits: Waits;
  readonly outbox: Outbox;
  readonly team: Team;
  readonly log: Logger;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Brings the messages of one recipient into its session. Each message has one entry, and the entry one stage:
 * a fact changes the stage, and the inbox carries out what follows from that. A message is leased from the bus until
 * the conversation has it. Pushing it twice does no harm, because the session takes an id once.
 */
export class AgentInbox {
  readonly #options: AgentInboxOptions;
  readonly #entries = new Entries();
  readonly #renewal: NodeJS.Timeout;
  readonly #unsubscribe: () => void;
  readonly #claims: ClaimLoop;
  /** How many tasks of the recipient were canceled: what was looked up before the last of them is out of date. */
  #cancellations = 0;

  constructor(options: AgentInboxOptions) {
    this.#options = options;
    this.#unsubscribe = options.waits.onOpen((wait) => this.#waitOpened(wait));
    this.#claims = new ClaimLoop({
      claim: (signal) => claimNext(options.bus, options.recipient, this.#isBusy(), signal),
      onClaimed: (delivery) => this.#claimed(delivery),
      onTrouble: (error) =>
        options.onTrouble(`The inbox of ${options.recipient.id} could not be read`, error),
    });
    this.#renewal = setInterval(() => this.#entries.renewLeases(), LEASE_MS / 3).unref();
  }

  start(): void {
    for (const { message, how } of this.#options.outbox.notedBefore) {
      if (message.to_agent !== this.#id) continue;
      void this.#happen(this.#entries.of(message), { type: "restored", how });
    }
    this.#claims.start();
  }

  /** Something about the recipient has changed: the inbox decides again what it may claim. */
  poke(): void {
    this.#claims.lookAgain();
  }

  async stop(): Promise<void> {
    await this.#claims.stop();
    clearInterval(this.#renewal);
    this.#unsubscribe();
    for (const { timer } of this.#entries.all()) clearTimeout(timer);
  }

  /** The conversation has the message, or a turn has ended it without that. */
  async seen(id: string): Promise<void> {
    const inInbox = await this.#recall(id);
    await this.#tell(id, { type: "seen", inInbox });
  }

  /** The session will not give the message to its model. @param isTakenBack because this team has taken it back. */
  dropped(id: string, reason: string, isTakenBack: boolean): Promise<void> {
    return this.#tell(id, { type: "dropped", reason, isTakenBack });
  }

  /** A task of the recipient was canceled: no turn has to deal with its request, or with answers that belong to it. */
  async taskCanceled(task: string): Promise<void> {
    this.#cancellations += 1;
    const isAbout = ({ message, subject }: DeliveryEntry): boolean =>
      message.id === task || (subject.kind === "answer" && subject.task === task);
    for (const entry of this.#entries.all().filter(isAbout)) {
      await this.#happen(entry, { type: "task_canceled" });
    }
  }

  /** The session may have it in its queue. */
  isWithSession(id: string): boolean {
    const stage = this.#entries.get(id)?.stage;
    const wasTried = stage !== undefined && "tried" in stage && stage.tried;
    return wasTried || stage?.at === "pushed" || this.#options.recipient.hasTaken(id);
  }

  /**
   * Takes a message out of the session's queue, unless its model has it or is about to.
   *
   * @throws `agent_unavailable` when there is no session now; what the session's client throws.
   */
  async takeBack(id: string): Promise<DropOutcome> {
    const { session } = this.#options.recipient;
    if (session) return session.drop(id);
    throw errorOf("agent_unavailable", `${this.#id} has no session that could drop the message.`);
  }

  /**
   * A call has its result.
   *
   * @param carriedId the message that the result has brought into the conversation.
   */
  async callEnded(call: string, carriedId: string | undefined): Promise<void> {
    const inInbox = carriedId === undefined || (await this.#recall(carriedId));
    await this.#tellAll(({ message }) => ({
      type: "call_ended",
      call,
      carries: message.id === carriedId,
      asks: wantsAnswer(message),
      inInbox,
    }));
  }

  /**
   * Settles what the turn has read, or writes down that it was read. Call this before the events of the turn are
   * forgotten: until then they are the record of it.
   *
   * @throws `bus_unavailable` while that fails.
   */
  async settleArrived(): Promise<void> {
    for (const entry of this.#entries.unsettled()) await this.#happen(entry, { type: "time_over" });
    const count = this.#entries.unsettled().length;
    if (count === 0) return;
    throw errorOf(
      "bus_unavailable",
      `${count} messages that ${this.#id} has read are not settled.`,
    );
  }

  async turnEnded(): Promise<void> {
    const { recipient } = this.#options;
    await this.#tellAll(({ stage }) => ({
      type: "turn_ended",
      callIsOpen: stage.at === "reserved" && recipient.isOpenCall(stage.call),
    }));
    this.poke();
  }

  /** The session is gone. The next one gets the messages that the conversation does not have. */
  async sessionLost(why: string): Promise<void> {
    await this.#tellAll(() => ({ type: "session_lost", why }));
    this.poke();
  }

  /** The session is about to send its log again from the beginning. */
  sessionReset(): Promise<void> {
    return this.#tellAll(() => ({ type: "session_reset" }));
  }

  /** If a call waits for an agent's answer, a question from that agent goes to the call at once, in mid-turn. */
  offerQuestion(message: CCMessage): void {
    const call = wantsAnswer(message) ? this.#waitingCall(message) : undefined;
    if (call === undefined) return;
    const isTaken = this.#options.recipient.hasTaken(message.id);
    void this.#happen(this.#entries.of(message), { type: "call_waits", call, isTaken });
  }

  /** The same for the questions that were asked before this wait began. */
  async offerQuestions(wait: Wait): Promise<void> {
    const questions = await pendingQuestions(this.#options.bus, wait, (id) => this.hasGot(id));
    for (const question of questions) this.offerQuestion(question);
  }

  /** The conversation has this message, as a message or in the result of a call. */
  hasGot(id: string): boolean {
    return this.#options.recipient.hasSeen(id) || this.#entries.get(id)?.stage.at === "arrived";
  }

  /** The answer to this message comes, or has just come, as a message of its own. */
  hasPushedAnswerTo(messageId: string): boolean {
    return this.#entries.hasPushedAnswerTo(messageId);
  }

  /** Questions that came in the results of calls: the running turn has to answer them. */
  get questions(): string[] {
    return this.#entries.questions();
  }

  /** Whether more is on its way to this task of the recipient, not counting the messages in `besides`. */
  isMoreComing(task: Task, besides: readonly string[]): Promise<boolean> {
    const { bus, tasks, recipient } = this.#options;
    const startsNoTurn = (id: string): boolean => this.#entries.startsNoTurn(id);
    const { openMessages } = recipient;
    return taskAwaitsParts(task, { bus, tasks, openMessages, startsNoTurn }, besides);
  }

  /** The next message that the recipient may get now is claimed. */
  async #claimed(delivery: Delivery): Promise<void> {
    const { id, to_agent: to } = delivery.message;
    this.#options.log.debug({ message: id, to }, "A message was claimed.");
    const entry = this.#entries.of(delivery.message);
    entry.delivery = delivery;
    await this.#happen(entry, { type: "claimed" });
  }

  /** Never rejects. An effect that fails holds up no other message. */
  async #happen(entry: DeliveryEntry, fact: Fact): Promise<void> {
    const effects = this.#enter(entry, fact);
    const { delivery: lease } = entry;
    try {
      for (const effect of effects) await this.#carryOut(entry, effect, lease);
    } catch (error) {
      const { to_agent } = entry.message;
      if (!this.#claims.isStopped)
        this.#options.onTrouble(`A message to ${to_agent} has to wait`, error);
      await this.#answer(entry, lease, { type: "failed" });
    } finally {
      this.#entries.forget(entry);
    }
  }

  /** Applies the outcome of an effect, unless the message was claimed again meanwhile. */
  async #answer(entry: DeliveryEntry, lease: Delivery | undefined, fact: Fact): Promise<void> {
    if (entry.delivery !== lease) return;
    if (fact.type !== "failed") return this.#happen(entry, fact);
    for (const effect of this.#enter(entry, fact)) {
      // If that fails as well, the message is claimed again when its lease has run out.
      await this.#carryOut(entry, effect, lease).catch(() => {});
    }
  }

  #enter(entry: DeliveryEntry, fact: Fact): readonly Effect[] {
    const { stage, effects } = next(entry.stage, fact);
    if (stage.at !== entry.stage.at) clearTimeout(entry.timer);
    entry.stage = stage;
    return effects;
  }

  /** Whether the message is in the inbox. One that a process before this one has claimed has no entry yet. */
  async #recall(id: string): Promise<boolean> {
    if (this.#entries.get(id)) return true;
    const stored = await this.#options.bus.get(id);
    if (stored?.message.to_agent === this.#id) this.#entries.of(stored.message);
    return stored?.settledAt === null;
  }

  async #tell(id: string, fact: Fact): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry) await this.#happen(entry, fact);
  }

  async #tellAll(factFor: (entry: DeliveryEntry) => Fact): Promise<void> {
    for (const entry of this.#entries.all()) await this.#happen(entry, factFor(entry));
  }

  async #carryOut(
    entry: DeliveryEntry,
    effect: Effect,
    lease: Delivery | undefined,
  ): Promise<void> {
    const { message } = entry;
    const { recipient, outbox, waits } = this.#options;
    switch (effect.do) {
      case "look":
        return this.#look(entry);
      case "wake":
        return recipient.wake();
      case "end_wait":
        return waits.endCall(effect.call, message);
      case "time":
        clearTimeout(entry.timer);
        entry.timer = setTimeout(() => void this.#happen(entry, { type: "time_over" }), effect.ms);
        return;
      case "push":
        return this.#answer(entry, lease, await this.#push(entry, effect.quiet));
      case "take_back":
        return takeBackMessage(message.id, this.#options);
      case "tell_pushed":
        return outbox.tellPushed(message);
      case "note": {
        const isOut = await outbox.note(message, effect.step);
        return this.#answer(entry, lease, { type: isOut ? "left_inbox" : "noted" });
      }
      case "settle": {
        const isOut = await outbox.settle(lease, { step: effect.step, ...recipient.runningTurn });
        return this.#answer(entry, lease, { type: isOut ? "left_inbox" : "failed" });
      }
      case "withdraw":
        await outbox.settle(lease, { step: "withdrawn", reason: effect.reason });
        return;
      case "bury":
        await lease?.term(effect.why);
        return;
      case "give_back":
        await lease?.nak({ counted: false, delayMs: effect.delayMs });
        return;
      case "lose":
        await lease?.nak({ why: effect.why });
    }
  }

  /** Looks until nothing has changed while the records were read. */
  async #look(entry: DeliveryEntry): Promise<void> {
    for (;;) {
      const before = this.#instant(entry);
      const { bus, tasks, recipient } = this.#options;
      const { subject, ...found } = await readConditions(entry.message, before, {
        bus,
        tasks,
        recipient,
        isMoreComing: (task) => this.isMoreComing(task, [entry.message.id]),
      });
      if (!isDeepStrictEqual(before, this.#instant(entry))) continue;
      entry.subject = subject;
      const isExpired = entry.delivery?.isExpired() ?? false;
      return this.#happen(entry, { type: "looked", look: { ...before, ...found, isExpired } });
    }
  }

  /** The conditions of a message that are known without reading anything. */
  #instant({ message, stage }: DeliveryEntry): Instant {
    const { recipient } = this.#options;
    const { reply_to } = message;
    const isBusy = this.#isBusy();
    const isTaken = recipient.hasTaken(message.id);
    return {
      isControl: isControl(message),
      isAsleep: recipient.isAsleep,
      isSeen: recipient.hasSeen(message.id),
      isTaken,
      tried: stage.at === "claimed" && stage.tried,
      mayOffer: stage.at === "claimed" && stage.mayOffer && !isTaken,
      waitingCall: this.#waitingCall(message),
      resentCall:
        reply_to !== null && isAnswer(message) ? recipient.openCallFor(reply_to) : undefined,
      hasSession: recipient.session !== undefined,
      isBusy,
      cancellations: this.#cancellations,
      inTurn: isBusy ? this.#openMessages() : [],
    };
  }

  #push(entry: DeliveryEntry, quiet: boolean): Promise<Fact> {
    return pushMessage(entry, { quiet, isBusy: this.#isBusy(entry) }, this.#options);
  }

  #waitOpened({ messageId, toolUseId: call }: OpenWait): void {
    for (const entry of this.#entries.all()) {
      if (entry.stage.at !== "reserved" || entry.message.reply_to !== messageId) continue;
      const isOpen = call !== undefined && this.#options.recipient.isOpenCall(call);
      const waits = { type: "call_waits", call: call ?? "", isTaken: false } as const;
      void this.#happen(entry, isOpen ? waits : { type: "time_over" });
    }
  }

  /** The open call whose wait this message ends. A wait may last a moment longer than its call. */
  #waitingCall(message: CCMessage): string | undefined {
    const { waits, recipient } = this.#options;
    const call = waits.endedBy(message)?.toolUseId;
    return call !== undefined && recipient.isOpenCall(call) ? call : undefined;
  }

  /**
   * A turn is running, or is about to. The session may have taken a message without this process knowing yet:
   * a second request that is pushed then would be in one turn with the first.
   */
  #isBusy(besides?: DeliveryEntry): boolean {
    const loud = this.#entries.loud().filter((id) => id !== besides?.message.id);
    return this.#options.recipient.isBusy || loud.length > 0;
  }

  #openMessages(): string[] {
    const ids = [
      ...this.#options.recipient.openMessages,
      ...this.questions,
      ...this.#entries.loud(),
    ];
    return [...new Set(ids)];
  }

  get #id(): AgentId {
    return this.#options.recipient.id;
  }
}
