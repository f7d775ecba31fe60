import type { Effect, Fact, HoldUp, Stage, Transitions } from "../../../src/team/delivery/stage.ts";
import { transitions, WAITING } from "../../../src/team/delivery/stage.ts";
import { ModelSession } from "./model-session.ts";

/** What the message is to its recipient. A question may end the wait of a call, and so may an answer. */
export type Kind = "question" | "answer" | "note" | "control";

/** The effects of one fact that are still to be carried out, in their order. */
export interface Run {
  readonly effects: (Effect | { readonly answer: Fact })[];
  readonly lease: number;
  /** The reader waits for it before it reads the next line. */
  readonly ofReader: boolean;
}

export interface Entry {
  stage: Stage;
  lease: number;
  isTimed: boolean;
}

/** How a write to the bus ends. After the last two the team knows only that it failed. */
export type Outcome = "done" | "not done" | "done, not told";

export interface WorldOptions {
  readonly kind: Kind;
  readonly table?: Transitions;
  /** As on a team that does not look whether an answer is about its newest lease. */
  readonly countsOldLeases?: boolean;
}

/** All that is so in the model at one instant. */
export class WorldState {
  readonly kind: Kind;
  readonly table: Transitions;
  readonly countsOldLeases: boolean;

  // Durable: the bus.
  bus: "waiting" | "leased" | "done" | "dead" = "waiting";
  /** How it left the inbox, as people are told. */
  told:
    | "seen"
    | "returned"
    | "withdrawn"
    | "dropped"
    | "refused"
    | "expired"
    | "attempts"
    | undefined;
  leases = 0;
  attempts = 0;
  noted: "seen" | "returned" | undefined;
  since = 0;

  readonly session: ModelSession;

  // The team's process.
  entry: Entry | undefined;
  runs: Run[] = [];
  read = 0;
  view = { isTaken: false, isSeen: false, hasCall: false, isBusy: false };
  isConnected = true;
  isAsleep = false;

  // Circumstances.
  holdUp: HoldUp | undefined;
  isExpired = false;
  isAboutTurn = true;
  /** A lease that was to be given back, when the bus could not be told. It runs out. */
  isForgotten = false;
  problem: string | undefined;

  constructor({ kind, table = transitions, countsOldLeases = false }: WorldOptions) {
    this.kind = kind;
    this.session = new ModelSession(kind === "note");
    this.table = table;
    this.countsOldLeases = countsOldLeases;
  }

  get stage(): Stage {
    return this.entry?.stage ?? WAITING;
  }

  get asks(): boolean {
    return this.kind === "question";
  }
}
