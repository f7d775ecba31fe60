import type { Entry, Outcome, Run } from "./world-state.ts";
import { WorldState } from "./world-state.ts";
import { problemAtEnd, problemNow } from "./delivery-checks.ts";
import { lookOf } from "./look-at-world.ts";
import type { SessionLine } from "./model-session.ts";
import type { Effect, Fact, HoldUp } from "../../../src/team/delivery/stage.ts";
import { isLeased, isOver, next, WAITING } from "../../../src/team/delivery/stage.ts";

const CALL = "call";
const MAX_ATTEMPTS = 3;

/**
 * One message on its way: a bus, a session with its log, a call of its model, and the team's process between them,
 * which drives the table of stages as the inbox does. What is durable outlives `crash`.
 */
export class DeliveryWorld extends WorldState {
  /** All that can happen now, by name. */
  actions(): Record<string, () => void> {
    const { session, isAsleep, bus, kind } = this;
    const { turn, call, isTaken, over, isWaiting } = session;
    const isConnected = this.isConnected;
    const isCaughtUp = isConnected && this.read === session.log.length;
    const isUnread = isTaken && !over && !isAsleep;
    const isOpen = call === "open";
    const isAtRest = !turn && (!isTaken || over !== undefined) && this.runs.length === 0;
    const [run] = this.runs;
    const carryOut = (outcome: Outcome) => (): void => run && this.#carryOut(run, outcome);
    const hold = (holdUp: HoldUp | undefined) => (): void => void (this.holdUp = holdUp);
    const early = this.holdUp ? undefined : ({ kind: "early" } as const);
    const all: [string, boolean, () => void][] = [
      ["claim", bus === "waiting" && (isAsleep || isCaughtUp), () => this.#claim()],
      ["effect", run !== undefined, carryOut("done")],
      ["effectFails", run !== undefined, carryOut("not done")],
      ["effectIsNotTold", run !== undefined, carryOut("done, not told")],
      ["swap", this.runs.length > 1, () => this.runs.push(...this.runs.splice(0, 1))],
      ["read", isConnected && !isCaughtUp, () => this.#readNext()],
      ["time", this.entry?.isTimed === true, () => this.#timeOver()],
      ["leaseRunsOut", bus === "leased", () => (this.bus = "waiting")],
      ["see", isUnread, () => session.see()],
      ["drop", isUnread, () => session.drop(false)],
      ["cancelTask", kind === "answer", () => this.#tell({ type: "task_canceled" })],
      ["endTurn", turn !== undefined, () => session.endTurn()],
      ["startTurn", !turn && !isAsleep, () => session.startTurn({ ours: false })],
      ["call", turn !== undefined && call === "none", () => session.callTool()],
      ["callReachesTeam", isOpen && isCaughtUp && !isAsleep && !isWaiting, () => this.#openWait()],
      ["callFails", isOpen, () => session.endCall(false)],
      ["callReturns", call === "returning", () => session.endCall(true)],
      ["resultIsLost", call === "returning", () => this.#loseResult()],
      ["offer", this.asks && isWaiting && isCaughtUp && this.#isInInbox, () => this.#offer()],
      ["loseSession", isConnected, () => this.#loseSession()],
      ["connect", !isConnected && !isAsleep, () => this.#reread(true)],
      ["sleep", isCaughtUp && isAtRest, () => this.#fallAsleep()],
      ["crash", true, () => this.#crash()],
      ["reset", isCaughtUp, () => this.#tell({ type: "session_reset" })],
      ["endTask", kind === "question", hold({ kind: "ended", reason: "over" })],
      ["holdUp", kind === "question", hold(early)],
      ["refuse", kind === "question", hold({ kind: "hopeless", why: "no budget" })],
      ["expire", true, () => (this.isExpired = true)],
      ["changeTask", true, () => (this.isAboutTurn = !this.isAboutTurn)],
    ];
    const possible = all.filter(([, isPossible]) => isPossible);
    return Object.fromEntries(possible.map(([name, , action]) => [name, action]));
  }

  /** Nothing fails any more, and everything goes on until nothing is left to do. */
  calmDown(): void {
    if (this.holdUp?.kind === "early") this.holdUp = undefined;
    const order =
      "connect effect read callReturns callReachesTeam see time claim callFails endTurn".split(" ");
    for (let steps = 0; steps < 300 && this.problem === undefined; steps += 1) {
      const actions = this.actions();
      const name = order.find((each) => actions[each]);
      const action = name === undefined ? undefined : actions[name];
      // A lease that nothing holds runs out, however often a stage waits for that.
      const runsOut = this.bus === "leased" && this.isForgotten;
      if (action && !(runsOut && name === "time")) action();
      else if (runsOut) this.bus = "waiting";
      else break;
      this.check();
    }
    this.problem ??= problemAtEnd(this);
  }

  check(): void {
    this.problem ??= problemNow(this);
  }

  #fail(problem: string): void {
    this.problem ??= problem;
  }

  // The team's process.

  #tell(fact: Fact, ofReader = false): void {
    if (!this.entry) return;
    this.#happen(this.entry, fact, ofReader);
  }

  #happen(entry: Entry, fact: Fact, ofReader = false): void {
    const { stage, effects } = next(entry.stage, fact, this.table);
    const wasSettled = entry.stage.at === "settled" && entry.stage.how !== "dead";
    const isKept = stage.at === "settled" || fact.type === "claimed" || fact.type === "failed";
    if (wasSettled && !isKept) this.#fail("a settled message is taken up again");
    if (stage.at !== entry.stage.at) entry.isTimed = false;
    entry.stage = stage;
    if (effects.length > 0) {
      this.runs.push({ effects: [...effects], lease: entry.lease, ofReader });
    }
    this.#forget();
  }

  #forget(): void {
    if (this.entry && isOver(this.stage) && this.runs.length === 0) this.entry = undefined;
  }

  #entryOf(): Entry {
    this.entry ??= { stage: WAITING, lease: 0, isTimed: false };
    return this.entry;
  }

  get #isInInbox(): boolean {
    return this.bus === "waiting" || this.bus === "leased";
  }

  #claim(): void {
    // One that expires behind the session's door is not of interest here.
    const isTaken = this.session.isTaken && this.session.over !== "dropped";
    const isOut =
      !isTaken && this.session.copies.inResults === 0 && this.session.call !== "returning";
    if (this.isExpired && isOut) {
      this.entry = undefined;
      return this.#leave("dead", "expired");
    }
    this.bus = "leased";
    this.isForgotten = false;
    this.leases += 1;
    const entry = this.#entryOf();
    entry.lease = this.leases;
    this.#happen(entry, { type: "claimed" });
  }

  #carryOut(run: Run, outcome: Outcome): void {
    const effect = run.effects.shift();
    const { entry } = this;
    if (effect && entry) {
      if ("answer" in effect) this.#answer(entry, run.lease, effect.answer);
      else this.#perform(run, entry, effect, outcome);
    }
    if (run.effects.length === 0) this.runs = this.runs.filter((each) => each !== run);
    this.#forget();
  }

  #answer(entry: Entry, lease: number, fact: Fact): void {
    if (entry.lease === lease || this.countsOldLeases) this.#happen(entry, fact);
  }

  #perform(run: Run, entry: Entry, effect: Effect, outcome: Outcome): void {
    switch (effect.do) {
      case "look":
        if (outcome === "done") this.#looked(entry);
        else this.#failed(run, entry);
        return;
      case "wake":
        this.isAsleep = false;
        return;
      case "end_wait":
        if (this.session.isWaiting) this.session.call = "returning";
        this.session.isWaiting = false;
        return;
      case "time":
        entry.isTimed = true;
        return;
      case "push":
        run.effects.unshift({ answer: this.#push(effect.quiet, outcome) });
        return;
      case "tell_pushed":
        return;
      case "take_back":
        return this.#takeBack(run, entry, outcome);
      case "note":
        return this.#note(run, entry, effect.step, outcome);
      case "settle": {
        const isOut = outcome === "not done" ? false : this.#settle(run.lease, effect.step);
        if (outcome === "done" && isOut) run.effects.unshift({ answer: { type: "left_inbox" } });
        else this.#failed(run, entry);
        return;
      }
      case "withdraw":
        return this.#write(run, entry, outcome, () => this.#leave("done", "withdrawn"));
      case "bury":
        return this.#write(run, entry, outcome, () =>
          this.#leave("dead", this.session.over === "dropped" ? "dropped" : "refused"),
        );
      case "give_back":
        return this.#write(run, entry, outcome, () => (this.bus = "waiting"));
      case "lose":
        return this.#write(run, entry, outcome, () => {
          this.bus = "waiting";
          this.attempts += 1;
          if (this.attempts >= MAX_ATTEMPTS) this.#leave("dead", "attempts");
        });
    }
  }

  #looked(entry: Entry): void {
    const look = lookOf(this, CALL);
    const wasClaimed = entry.stage.at === "claimed";
    this.#happen(entry, { type: "looked", look });
    const joins = wasClaimed && entry.stage.at === "pushed" && !entry.stage.quiet;
    if (joins && !look.mayJoin && !look.isTaken) this.#fail("it joins a turn of another task");
  }

  #failed(run: Run, entry: Entry): void {
    run.effects.splice(0, Infinity, { answer: { type: "failed" } });
    if (entry.lease === this.leases) this.isForgotten = !isLeased(entry.stage);
  }

  #write(run: Run, entry: Entry, outcome: Outcome, change: () => void): void {
    if (outcome !== "not done" && run.lease === this.leases && this.#isInInbox) change();
    if (outcome !== "done") this.#failed(run, entry);
  }

  #settle(lease: number, how: "seen" | "returned"): boolean {
    if (lease === this.leases && this.#isInInbox) this.#leave("done", how);
    return this.bus === "done" || this.bus === "dead";
  }

  /** The session gives it back in a turn that has not read it. */
  #takeBack(run: Run, entry: Entry, outcome: Outcome): void {
    const { isTaken, over, turn } = this.session;
    if (outcome !== "not done" && isTaken && !over && turn) this.session.drop(true);
    if (outcome !== "done") this.#failed(run, entry);
  }

  /** It leaves the inbox, unless a claim has it. */
  #note(run: Run, entry: Entry, step: "seen" | "returned", outcome: Outcome): void {
    if (outcome !== "not done") {
      if (this.bus === "waiting") this.#leave("done", step);
      else this.noted = step;
    }
    if (outcome !== "done") return this.#failed(run, entry);
    const isOut = this.bus === "done" || this.bus === "dead";
    run.effects.unshift({ answer: { type: isOut ? "left_inbox" : "noted" } });
  }

  #leave(bus: "done" | "dead", told: NonNullable<WorldState["told"]>): void {
    this.bus = bus;
    this.told = told;
  }

  #push(quiet: boolean, outcome: Outcome): Fact {
    const isReturned = this.session.call === "returning" || this.session.copies.inResults > 0;
    if (isReturned || this.stage.at === "offered") this.#fail("it is pushed and returned");
    if (quiet !== (this.kind === "note")) this.#fail("it is pushed in the wrong way");
    if (!this.isConnected || outcome === "not done") return { type: "push_failed" };
    if (!this.session.isTaken) this.session.log.push({ type: "user_message" });
    this.session.isTaken = true;
    if (outcome !== "done") return { type: "push_failed" };
    const over = this.session.turn?.ours ? undefined : this.session.over;
    return { type: "push_taken", over: over ?? (this.view.isSeen ? "seen" : undefined) };
  }

  #timeOver(): void {
    if (!this.entry) return;
    this.entry.isTimed = false;
    this.#happen(this.entry, { type: "time_over" });
  }

  #readNext(): void {
    if (this.runs.some(({ ofReader }) => ofReader)) return;
    const line = this.session.log[this.read];
    if (!line) return;
    if (line.type === "done" && !this.#isSafe(line.ours)) return;
    this.read += 1;
    switch (line.type) {
      case "user_message":
        this.view.isTaken = true;
        break;
      case "message_seen":
        this.#hearSeen();
        break;
      case "message_dropped":
        this.#tell({ type: "dropped", reason: "r", isTakenBack: line.isTakenBack }, true);
        break;
      case "turn_started":
        this.view.isBusy = true;
        break;
      case "tool_use":
        this.view.hasCall = true;
        break;
      case "tool_result":
        this.#hearResult(line.carries);
        break;
      case "done":
        this.#hearEnd(line);
    }
  }

  #hearSeen(): void {
    this.view.isSeen = true;
    this.#happen(this.#entryOf(), { type: "seen", inInbox: this.#isInInbox }, true);
  }

  #hearResult(carries: boolean): void {
    this.view.hasCall = false;
    this.session.isWaiting = false;
    const inInbox = this.#isInInbox;
    const fact = { type: "call_ended", call: CALL, carries, asks: this.asks, inInbox } as const;
    if (carries) this.#entryOf();
    this.#tell(fact, true);
  }

  #hearEnd({ isIdle }: SessionLine & { type: "done" }): void {
    this.view.isBusy = false;
    this.view.hasCall = false;
    this.#tell({ type: "turn_ended", callIsOpen: false }, true);
    if (isIdle) this.since = this.read;
  }

  /** False while what the turn has read is not settled. */
  #isSafe(ours: boolean): boolean {
    if (ours && !this.view.isSeen) {
      this.#hearSeen();
      return false;
    }
    const { stage } = this;
    if (stage.at !== "arrived" || !["settle", "note"].includes(stage.inbox)) return true;
    if (this.runs.length === 0) this.#tell({ type: "time_over" });
    return false;
  }

  #openWait(): void {
    const { stage } = this;
    const isPushed = stage.at === "pushed" || ("how" in stage && stage.how === "seen");
    if (this.kind === "answer" && (isPushed || this.bus === "done"))
      return this.session.endCall(false);
    this.session.isWaiting = true;
    if (stage.at === "reserved") this.#waitsForIt();
    else if (this.asks && this.bus === "waiting") this.#offer();
  }

  #offer(): void {
    if (this.view.hasCall && !this.view.isSeen && this.stage.at !== "arrived") this.#waitsForIt();
  }

  #waitsForIt(): void {
    const { isTaken } = this.view;
    this.#happen(this.#entryOf(), { type: "call_waits", call: CALL, isTaken });
  }

  #reread(isConnected = this.isConnected): void {
    this.isConnected = isConnected;
    this.read = this.since;
    this.view = { isTaken: false, isSeen: false, hasCall: false, isBusy: false };
  }

  /** A result is there before the next process or session is, or its call is sent again. */
  #loseResult(): void {
    if (this.session.call === "returning") this.session.call = "open";
  }

  #loseSession(): void {
    this.isConnected = false;
    this.#loseResult();
    // A push is sent over the connection of the instant in which it was decided.
    for (const { effects } of this.runs) {
      const [first] = effects;
      if (first && "do" in first && first.do === "push") {
        effects[0] = { answer: { type: "push_failed" } };
      }
    }
    this.#tell({ type: "session_lost", why: "gone" });
  }

  #fallAsleep(): void {
    this.isAsleep = true;
    this.#loseSession();
    this.#reread();
  }

  /** The bus ends the leases of a process that is gone. */
  #crash(): void {
    this.entry = undefined;
    this.runs = [];
    this.session.isWaiting = false;
    this.isForgotten = false;
    this.#loseResult();
    if (this.bus === "leased") this.bus = "waiting";
    this.leases += 1;
    this.#reread();
    if (this.noted && this.bus === "waiting") {
      this.#happen(this.#entryOf(), { type: "restored", how: this.noted });
    }
  }
}
