/**
 * Where one message is on its way to one recipient. docs/delivery.md describes each stage. A message that was `tried` may
 * be in the session's log although no event has shown it: it can only be pushed again.
 */
export type Stage =
  /** In the recipient's inbox. This process has no lease on it. */
  | { readonly at: "waiting"; readonly tried: boolean }
  /** Leased. The inbox is finding out what to do with it. */
  | { readonly at: "claimed"; readonly tried: boolean; readonly mayOffer: boolean }
  /** Leased. It is an answer for another task than the running turn's, and waits for the end of the turn. */
  | { readonly at: "held" }
  /** Leased. The bridge is about to send this call again, and the call will wait for this answer. */
  | { readonly at: "reserved"; readonly call: string }
  /** Given to a waiting call, whose result is not in the conversation yet. A question need not be leased for that. */
  | { readonly at: "offered"; readonly call: string; readonly leased: boolean }
  /** Leased. It was sent to the session, which may have said that it has it. */
  | { readonly at: "pushed"; readonly quiet: boolean; readonly taken: boolean }
  /** The conversation has it. */
  | {
      readonly at: "arrived";
      readonly how: Arrival;
      readonly inbox: InboxRest;
      /** The running turn has to answer it. */
      readonly inTurn: boolean;
    }
  /** It has left the inbox for good. */
  | { readonly at: "settled"; readonly how: Settling };

/** As a message, or in the result of a call. */
export type Arrival = "seen" | "returned";
export type Settling = Arrival | "withdrawn" | "dead";

/** What is left to do about the inbox for a message that the conversation has. */
export type InboxRest =
  /** Leased: it has to be settled. */
  | "settle"
  /** Not leased: it has to leave the inbox, so that no later process delivers it. */
  | "note"
  /**
   * A claim was about to return it, so that it has arrived is written down: it is settled when it was claimed, or leaves
   * the inbox when the claim was given up.
   */
  | "claim"
  | "none";

/** Why a request is not given to its recipient now. */
export type HoldUp =
  /** Its task has ended already. */
  | { readonly kind: "ended"; readonly reason: string }
  /** A task that it depends on is not completed yet. */
  | { readonly kind: "early" }
  | { readonly kind: "hopeless"; readonly why: string };

/** Everything that decides about a claimed message, at one instant. */
export interface Look {
  readonly isControl: boolean;
  readonly isAsleep: boolean;
  /** The conversation has it as a message. */
  readonly isSeen: boolean;
  /** The session has it in its log, so it will be in the conversation as a message. */
  readonly isTaken: boolean;
  readonly holdUp: HoldUp | undefined;
  /** An open call that waits for it. */
  readonly waitingCall: string | undefined;
  /** An open call that will wait for it once the bridge has sent it again. */
  readonly resentCall: string | undefined;
  readonly hasSession: boolean;
  readonly isExpired: boolean;
  /** It is added to the conversation and starts no turn. */
  readonly isQuiet: boolean;
  /** No turn is running, or the running turn is about the same task. */
  readonly mayJoin: boolean;
}

/** What happens to a message. */
export type Fact =
  | { readonly type: "claimed" }
  /** An earlier process has noted that it has arrived. */
  | { readonly type: "restored"; readonly how: Arrival }
  | { readonly type: "looked"; readonly look: Look }
  /** A call that has no result yet waits for it. */
  | { readonly type: "call_waits"; readonly call: string; readonly isTaken: boolean }
  /** The time of the stage is over: for the call that the message is reserved for, or until the next attempt. */
  | { readonly type: "time_over" }
  | { readonly type: "push_taken"; readonly over?: "seen" | "dropped" | undefined }
  | { readonly type: "push_failed" }
  /** @param inInbox the bus still has it in the inbox. */
  | { readonly type: "seen"; readonly inInbox: boolean }
  /** @param isTakenBack this team has taken it back. */
  | { readonly type: "dropped"; readonly reason: string; readonly isTakenBack: boolean }
  /** The task was canceled that it asks for, or that it is an answer to a part of. */
  | { readonly type: "task_canceled" }
  | {
      readonly type: "call_ended";
      readonly call: string;
      /** Its result has brought this message. */
      readonly carries: boolean;
      readonly asks: boolean;
      /** The bus still has it in the inbox. */
      readonly inInbox: boolean;
    }
  /** No call of the turn will return anything now, except one that is still open. */
  | { readonly type: "turn_ended"; readonly callIsOpen: boolean }
  | { readonly type: "session_lost"; readonly why: string }
  /** The session sends its log again from the beginning. */
  | { readonly type: "session_reset" }
  /** The bus has settled it. */
  | { readonly type: "left_inbox" }
  /** The note that it has arrived is on the disk. */
  | { readonly type: "noted" }
  /** An effect could not be carried out. */
  | { readonly type: "failed" };

/** What is to be done, in this order. */
export type Effect =
  | { readonly do: "look" }
  | { readonly do: "wake" }
  | { readonly do: "end_wait"; readonly call: string }
  /** The fact `time_over` follows after this time, unless the stage changes first. */
  | { readonly do: "time"; readonly ms: number }
  | { readonly do: "push"; readonly quiet: boolean }
  | { readonly do: "tell_pushed" }
  /** Out of the session's queue, unless the model has it or is about to get it. */
  | { readonly do: "take_back" }
  /**
   * Out of the inbox without a lease, and published. While a claim is about to return it, that it has arrived is
   * recorded instead.
   */
  | { readonly do: "note"; readonly step: Arrival }
  /** Out of the inbox, and published. */
  | { readonly do: "settle"; readonly step: Arrival }
  | { readonly do: "withdraw"; readonly reason: string }
  | { readonly do: "bury"; readonly why: string }
  /** Back into the inbox, to be claimed again. */
  | { readonly do: "give_back"; readonly delayMs: number }
  /** The same, and it counts as an attempt that failed. */
  | { readonly do: "lose"; readonly why: string };

export interface Step {
  readonly stage: Stage;
  readonly effects: readonly Effect[];
}

/** After this time an effect that failed is tried again. */
const AGAIN_MS = 500;
/** After this time a message that the session did not take is claimed again. */
const PUSH_AGAIN_MS = 200;
/** A little more than the time for which the bridge tries to send a call again after a restart of this process. */
const RESEND_MS = 35_000;

type StageAt<At extends Stage["at"]> = Extract<Stage, { at: At }>;
type FactOf<Type extends Fact["type"]> = Extract<Fact, { type: Type }>;
export type Transitions = {
  readonly [At in Stage["at"]]: {
    readonly [Type in Fact["type"]]?: (stage: StageAt<At>, fact: FactOf<Type>) => Step;
  };
};

const to = (stage: Stage, ...effects: Effect[]): Step => ({ stage, effects });
export const WAITING: Stage = { at: "waiting", tried: false };
const giveBack = (delayMs = 0, tried = false): Step =>
  to({ at: "waiting", tried }, { do: "give_back", delayMs });
const toClaimed = (tried: boolean, mayOffer = !tried): Step =>
  to({ at: "claimed", tried, mayOffer }, { do: "look" });
const bury = (why: string, ...before: Effect[]): Step =>
  to({ at: "settled", how: "dead" }, ...before, { do: "bury", why });
const withdraw = (reason: string): Step =>
  to({ at: "settled", how: "withdrawn" }, { do: "withdraw", reason });
/** No call will bring it, so it is looked at once more, to be pushed. */
const pushInstead = (): Step => toClaimed(false, false);
const offer = (call: string, leased: boolean): Step =>
  to({ at: "offered", call, leased }, { do: "end_wait", call });
/** A leased message is in the conversation. The running turn has to answer a question that a call has brought. */
const arrive = (how: Arrival, inTurn: boolean, ...before: Effect[]): Step =>
  to({ at: "arrived", how, inbox: "settle", inTurn }, ...before, { do: "settle", step: how });
/** The same for a message that is not leased. */
const arriveUnleased = (how: Arrival, inTurn: boolean): Step =>
  to({ at: "arrived", how, inbox: "note", inTurn }, { do: "note", step: how });
const isDropped = (reason: string): string => `The session dropped it (${reason}).`;
const ifCarried = (stage: Stage, { carries, asks }: FactOf<"call_ended">): Step =>
  carries ? arrive("returned", asks) : to(stage);
const tellIfNew = ({ taken }: StageAt<"pushed">): Effect[] =>
  taken ? [] : [{ do: "tell_pushed" }];
/** Nothing is left to do for a message that is out of the inbox and belongs to no running turn. */
const settleIfOver = (stage: StageAt<"arrived">): Step =>
  stage.inbox === "none" && !stage.inTurn ? to({ at: "settled", how: stage.how }) : to(stage);
/** If the turn still counts, the session reports it again. */
const leaveTurn = (stage: StageAt<"arrived">): Step => settleIfOver({ ...stage, inTurn: false });

/** What each fact makes of a message in each stage. A fact that has no row changes nothing. */
export const transitions: Transitions = {
  waiting: {
    claimed: ({ tried }) => toClaimed(tried),
    restored: (_, { how }) => arriveUnleased(how, false),
    // An earlier process has pushed it.
    seen: (stage, { inInbox }) => (inInbox ? arriveUnleased("seen", false) : to(stage)),
    call_waits: (stage, { call, isTaken }) =>
      stage.tried || isTaken ? to(stage) : offer(call, false),
    // An earlier process has offered it, and ended before it heard of the result.
    call_ended: (stage, { carries, asks, inInbox }) => {
      if (!carries) return to(stage);
      if (inInbox) return arriveUnleased("returned", asks);
      return settleIfOver({ at: "arrived", how: "returned", inbox: "none", inTurn: asks });
    },
    failed: ({ tried }) => giveBack(AGAIN_MS, tried),
  },
  claimed: {
    // It was claimed again after its lease had run out, so failures under the old lease do not count.
    claimed: (stage) => to(stage, { do: "look" }),
    seen: () => arrive("seen", false),
    looked: (stage, fact) => decide(fact.look, stage),
    call_waits: (stage, { call, isTaken }) =>
      stage.mayOffer && !isTaken ? offer(call, true) : to(stage),
    call_ended: ifCarried,
    failed: ({ tried }) => giveBack(AGAIN_MS, tried),
  },
  held: {
    seen: () => arrive("seen", false),
    call_ended: ifCarried,
    turn_ended: () => giveBack(),
    session_lost: () => giveBack(),
  },
  reserved: {
    call_waits: (_, { call }) => offer(call, true),
    time_over: pushInstead,
    call_ended: (stage, fact) => {
      if (fact.carries) return arrive("returned", fact.asks);
      return fact.call === stage.call ? pushInstead() : to(stage);
    },
    turn_ended: (stage, { callIsOpen }) => (callIsOpen ? to(stage) : pushInstead()),
    session_lost: () => giveBack(),
  },
  offered: {
    claimed: (stage) => to({ ...stage, leased: true }),
    call_ended: (stage, { call, carries, asks }) => {
      if (carries)
        return stage.leased ? arrive("returned", asks) : arriveUnleased("returned", asks);
      if (call !== stage.call) return to(stage);
      return stage.leased ? pushInstead() : to(WAITING);
    },
    turn_ended: ({ leased }) => (leased ? pushInstead() : to(WAITING)),
    session_lost: ({ leased }) => (leased ? giveBack() : to(WAITING)),
  },
  pushed: {
    // The session takes an id once, so this finds out what became of a push under the old lease.
    claimed: (stage) => to(stage, { do: "push", quiet: stage.quiet }),
    push_taken: (stage, { over }) => {
      const news = tellIfNew(stage);
      if (over === "seen") return arrive("seen", false, ...news);
      if (over === "dropped") return bury(isDropped("earlier"), ...news);
      return to({ ...stage, taken: true }, ...news);
    },
    // The session may have taken it nevertheless.
    push_failed: () => giveBack(PUSH_AGAIN_MS, true),
    // The conversation has it, so the session has taken it, whatever becomes of the answer to the push.
    seen: (stage) => arrive("seen", false, ...tellIfNew(stage)),
    dropped: (_, { reason, isTakenBack }) =>
      isTakenBack ? withdraw("its task was canceled") : bury(isDropped(reason)),
    // In the session's queue it would start a turn, for which there is nothing to do.
    task_canceled: (stage) => (stage.quiet ? to(stage) : to(stage, { do: "take_back" })),
    session_lost: (_, { why }) => to(WAITING, { do: "lose", why }),
  },
  arrived: {
    claimed: (stage) => to({ ...stage, inbox: "settle" }, { do: "settle", step: stage.how }),
    left_inbox: (stage) => settleIfOver({ ...stage, inbox: "none" }),
    // The claim may be given up, and before the next one the message may expire, so the inbox is asked again.
    noted: (stage) => to({ ...stage, inbox: "claim" }, { do: "time", ms: AGAIN_MS }),
    failed: (stage) => to(stage, { do: "time", ms: AGAIN_MS }),
    time_over: (stage) => {
      if (stage.inbox === "settle") return to(stage, { do: "settle", step: stage.how });
      return stage.inbox === "none" ? to(stage) : to(stage, { do: "note", step: stage.how });
    },
    // Reported again by a session that was lost before.
    call_ended: (stage, { carries, asks }) => to(carries ? { ...stage, inTurn: asks } : stage),
    turn_ended: leaveTurn,
    session_lost: leaveTurn,
    session_reset: leaveTurn,
  },
  settled: {
    // It came back, because the bus was not told in time.
    claimed: () => toClaimed(false),
    failed: () => giveBack(AGAIN_MS),
  },
};

/** The stage of a message after a fact, and what is to be done then. */
export function next(stage: Stage, fact: Fact, table: Transitions = transitions): Step {
  const row = table[stage.at][fact.type] as ((stage: Stage, fact: Fact) => Step) | undefined;
  return row ? row(stage, fact) : to(stage);
}

/** Decides about a message that was claimed. The first rule that applies counts. */
function decide(look: Look, { tried, mayOffer }: StageAt<"claimed">): Step {
  if (look.isControl) return arrive("returned", false);
  if (look.isAsleep) return to(WAITING, { do: "wake" }, { do: "give_back", delayMs: 0 });
  if (look.isSeen) return arrive("seen", false);
  // Only a session whose events have been read tells whether it has the message.
  if (!look.hasSession) return giveBack(0, tried);
  const decision = look.isTaken || tried ? undefined : decideUntried(look, mayOffer);
  if (decision) return decision;
  const { isQuiet: quiet } = look;
  if (!look.isTaken && !quiet && !look.mayJoin) return to({ at: "held" });
  return to({ at: "pushed", quiet, taken: false }, { do: "push", quiet });
}

/** What comes before a first push. */
function decideUntried(look: Look, mayOffer: boolean): Step | undefined {
  const { holdUp, waitingCall, resentCall } = look;
  if (holdUp?.kind === "ended") return withdraw(holdUp.reason);
  if (holdUp?.kind === "early") return giveBack(AGAIN_MS);
  if (holdUp) return bury(holdUp.why);
  if (mayOffer && waitingCall !== undefined) return offer(waitingCall, true);
  if (mayOffer && resentCall !== undefined) {
    return to({ at: "reserved", call: resentCall }, { do: "time", ms: RESEND_MS });
  }
  // It becomes a dead letter at the next claim.
  return look.isExpired ? giveBack() : undefined;
}

/** A lease is renewed for as long as the message is in such a stage. */
export const isLeased = (stage: Stage): boolean => {
  if (stage.at === "offered") return stage.leased;
  if (stage.at === "arrived") return stage.inbox === "settle";
  return ["claimed", "held", "reserved", "pushed"].includes(stage.at);
};

/** Nothing has to be remembered about such a message. */
export const isOver = (stage: Stage): boolean =>
  stage.at === "settled" || (stage.at === "waiting" && !stage.tried);
