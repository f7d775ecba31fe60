/** Where one message is on its way to one recipient. docs/delivery.md has the same stages as a table. */
export type Stage =
  /** In the recipient's inbox. This process has no lease on it. */
  | { readonly at: "waiting" }
  /** Leased. What is to be done with it is being looked up. */
  | { readonly at: "claimed"; readonly mayOffer: boolean }
  /** Leased. It is an answer for another task than the running turn's, and waits for the end of the turn. */
  | { readonly at: "held" }
  /** Leased. The bridge is about to send this call again, and the call will wait for this answer. */
  | { readonly at: "reserved"; readonly call: string }
  /** Given to a waiting call, whose result is not in the conversation yet. A question need not be leased for that. */
  | { readonly at: "offered"; readonly call: string; readonly leased: boolean }
  /** Leased. It was sent to the session, which may have said that it has it. */
  | { readonly at: "pushed"; readonly quiet: boolean; readonly taken: boolean }
  /** The result of a call has brought it. It may be in the inbox still, and the running turn may have to answer it. */
  | { readonly at: "returned"; readonly inInbox: boolean; readonly inTurn: boolean }
  /** It has left the inbox for good. */
  | { readonly at: "settled"; readonly how: Settling };

export type Settling = "seen" | "returned" | "withdrawn" | "dead";

/** Why a request is not given to its recipient now. */
export type HoldUp =
  /** Its task has ended already. */
  | { readonly kind: "ended"; readonly reason: string }
  /** A task that it depends on is not completed yet. */
  | { readonly kind: "early" }
  | { readonly kind: "hopeless"; readonly why: string };

/** All that counts for a message that was claimed, as it is in one instant. */
export interface Look {
  readonly isControl: boolean;
  readonly asks: boolean;
  readonly isAsleep: boolean;
  /** The conversation has it as a message. */
  readonly isSeen: boolean;
  /** The conversation has it in the result of a call. */
  readonly isReturned: boolean;
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
  | { readonly type: "looked"; readonly look: Look }
  /** A call that has no result yet waits for it. */
  | { readonly type: "call_waits"; readonly call: string }
  /** The call that it is reserved for was not sent again in time. */
  | { readonly type: "reservation_over" }
  | { readonly type: "push_taken"; readonly over?: "seen" | "dropped" | undefined }
  | { readonly type: "push_failed" }
  | { readonly type: "seen" }
  | { readonly type: "dropped"; readonly reason: string }
  | {
      readonly type: "call_ended";
      readonly call: string;
      /** Its result has brought this message. */
      readonly carries: boolean;
      readonly asks: boolean;
      /** The bus has it in the inbox still. */
      readonly inInbox: boolean;
    }
  /** No call of the turn will return anything any more, except one that is still open. */
  | { readonly type: "turn_ended"; readonly callIsOpen: boolean }
  | { readonly type: "session_lost"; readonly why: string }
  /** The session tells its log anew, from the beginning. */
  | { readonly type: "session_reset" }
  /** An effect could not be carried out. */
  | { readonly type: "failed" };

/** What is to be done, in this order. */
export type Effect =
  | { readonly do: "look" }
  | { readonly do: "wake" }
  | { readonly do: "end_wait"; readonly call: string }
  | { readonly do: "reserve" }
  | { readonly do: "push"; readonly quiet: boolean }
  | { readonly do: "tell_pushed" }
  /** Remembered on the disk, because the message is still in the inbox. */
  | { readonly do: "note_returned" }
  /** Out of the inbox, and told. */
  | { readonly do: "settle"; readonly step: "seen" | "returned" }
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

/** What could not be carried out is claimed again after so long. */
const AGAIN_MS = 500;
/** So is what the session did not take. */
const PUSH_AGAIN_MS = 200;

type StageAt<At extends Stage["at"]> = Extract<Stage, { at: At }>;
type FactOf<Type extends Fact["type"]> = Extract<Fact, { type: Type }>;
type Rows = {
  readonly [At in Stage["at"]]: {
    readonly [Type in Fact["type"]]?: (stage: StageAt<At>, fact: FactOf<Type>) => Step;
  };
};

const to = (stage: Stage, ...effects: Effect[]): Step => ({ stage, effects });
const giveBack = (delayMs = 0): Step => to({ at: "waiting" }, { do: "give_back", delayMs });
const settle = (how: "seen" | "returned", ...before: Effect[]): Step =>
  to({ at: "settled", how }, ...before, { do: "settle", step: how });
const bury = (why: string, ...before: Effect[]): Step =>
  to({ at: "settled", how: "dead" }, ...before, { do: "bury", why });
/** No call will bring it, so it is looked at once more, to be pushed. */
const pushInstead = (): Step => to({ at: "claimed", mayOffer: false }, { do: "look" });
const offer = (call: string, leased: boolean): Step =>
  to({ at: "offered", call, leased }, { do: "end_wait", call });
/** A leased message that a call has brought: a question is kept in mind until the turn is over. */
const settleReturned = (asks: boolean): Step =>
  asks
    ? to({ at: "returned", inInbox: false, inTurn: true }, { do: "settle", step: "returned" })
    : settle("returned");
const isDropped = (reason: string): string => `The session dropped it (${reason}).`;
const ifCarried = (stage: Stage, { carries, asks }: FactOf<"call_ended">): Step =>
  carries ? settleReturned(asks) : to(stage);
const tellIfNew = ({ taken }: StageAt<"pushed">): Effect[] =>
  taken ? [] : [{ do: "tell_pushed" }];

/** What each fact makes of a message in each stage. A fact that has no row changes nothing. */
const transitions: Rows = {
  waiting: {
    claimed: () => to({ at: "claimed", mayOffer: true }, { do: "look" }),
    call_waits: (_, { call }) => offer(call, false),
    // A process before this one has offered it, and was ended before it heard of the result.
    call_ended: (stage, { carries, asks, inInbox }) => {
      if (!carries) return to(stage);
      if (!asks && !inInbox) return to({ at: "settled", how: "returned" });
      const returned = { at: "returned", inInbox, inTurn: asks } as const;
      return asks && inInbox ? to(returned, { do: "note_returned" }) : to(returned);
    },
    failed: () => giveBack(AGAIN_MS),
  },
  claimed: {
    looked: ({ mayOffer }, { look }) => decide(look, mayOffer),
    call_waits: (stage, { call }) => (stage.mayOffer ? offer(call, true) : to(stage)),
    call_ended: ifCarried,
    failed: () => giveBack(AGAIN_MS),
  },
  held: {
    call_ended: ifCarried,
    turn_ended: () => giveBack(),
    session_lost: () => giveBack(),
    failed: () => giveBack(AGAIN_MS),
  },
  reserved: {
    call_waits: (_, { call }) => offer(call, true),
    reservation_over: pushInstead,
    call_ended: (stage, fact) => {
      if (fact.carries) return settleReturned(fact.asks);
      return fact.call === stage.call ? pushInstead() : to(stage);
    },
    turn_ended: (stage, { callIsOpen }) => (callIsOpen ? to(stage) : pushInstead()),
    session_lost: () => giveBack(),
    failed: () => giveBack(AGAIN_MS),
  },
  offered: {
    claimed: (stage) => to({ ...stage, leased: true }),
    call_ended: (stage, { call, carries, asks }) => {
      if (carries && stage.leased) return settleReturned(asks);
      if (carries) {
        return to({ at: "returned", inInbox: true, inTurn: asks }, { do: "note_returned" });
      }
      if (call !== stage.call) return to(stage);
      return stage.leased ? pushInstead() : to({ at: "waiting" });
    },
    turn_ended: ({ leased }) => (leased ? pushInstead() : to({ at: "waiting" })),
    session_lost: ({ leased }) => (leased ? giveBack() : to({ at: "waiting" })),
    failed: ({ leased }) => (leased ? giveBack(AGAIN_MS) : to({ at: "waiting" })),
  },
  pushed: {
    push_taken: (stage, { over }) => {
      const news = tellIfNew(stage);
      if (over === "seen") return settle("seen", ...news);
      if (over === "dropped") return bury(isDropped("earlier"), ...news);
      return to({ ...stage, taken: true }, ...news);
    },
    push_failed: () => giveBack(PUSH_AGAIN_MS),
    // The conversation has it, so the session has taken it, whatever becomes of the answer to the push.
    seen: (stage) => settle("seen", ...tellIfNew(stage)),
    dropped: (_, { reason }) => bury(isDropped(reason)),
    session_lost: (_, { why }) => to({ at: "waiting" }, { do: "lose", why }),
    failed: () => giveBack(AGAIN_MS),
  },
  returned: {
    claimed: ({ inTurn }) =>
      inTurn
        ? to({ at: "returned", inInbox: false, inTurn }, { do: "settle", step: "returned" })
        : settle("returned"),
    turn_ended: ({ inInbox }) =>
      to(inInbox ? { at: "returned", inInbox, inTurn: false } : { at: "settled", how: "returned" }),
    // Whatever still counts of it is told by the session once more.
    session_lost: () => to({ at: "waiting" }),
    session_reset: () => to({ at: "waiting" }),
    failed: (stage) => to({ ...stage, inInbox: true }, { do: "give_back", delayMs: AGAIN_MS }),
  },
  settled: {
    // It came back, because the bus was not told in time.
    claimed: () => to({ at: "claimed", mayOffer: true }, { do: "look" }),
    failed: () => giveBack(AGAIN_MS),
  },
};

/** Where a message is after a fact, and what is to be done about that. */
export function next(stage: Stage, fact: Fact): Step {
  const row = transitions[stage.at][fact.type] as ((stage: Stage, fact: Fact) => Step) | undefined;
  return row ? row(stage, fact) : to(stage);
}

/** What becomes of a message that was claimed. The first rule that applies decides. */
function decide(look: Look, mayOffer: boolean): Step {
  if (look.isControl) return settle("returned");
  if (look.isAsleep) return to({ at: "waiting" }, { do: "wake" }, { do: "give_back", delayMs: 0 });
  if (look.isSeen) return settle("seen");
  if (look.isReturned) return settle("returned");
  const { holdUp } = look;
  if (holdUp?.kind === "ended") {
    const { reason } = holdUp;
    return to({ at: "settled", how: "withdrawn" }, { do: "withdraw", reason });
  }
  if (holdUp?.kind === "early") return giveBack(AGAIN_MS);
  if (holdUp) return bury(holdUp.why);
  if (mayOffer && look.waitingCall !== undefined) return offer(look.waitingCall, true);
  if (mayOffer && look.resentCall !== undefined) {
    return to({ at: "reserved", call: look.resentCall }, { do: "reserve" });
  }
  // One that is expired becomes a dead letter at the next claim.
  if (!look.hasSession || look.isExpired) return giveBack();
  if (!look.isQuiet && !look.mayJoin) return to({ at: "held" });
  const { isQuiet: quiet } = look;
  return to({ at: "pushed", quiet, taken: false }, { do: "push", quiet });
}

/** A lease is renewed for as long as the message is in such a stage. */
export const isLeased = (stage: Stage): boolean => {
  if (stage.at === "offered") return stage.leased;
  return ["claimed", "held", "reserved", "pushed"].includes(stage.at);
};

/** Nothing has to be remembered of such a message. */
export const isOver = ({ at }: Stage): boolean => at === "waiting" || at === "settled";
