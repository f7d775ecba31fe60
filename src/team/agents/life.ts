import type { AgentState } from "../../wire/team/events.ts";

/** `failures`: how many starts in a row have failed so far. */
interface Starting {
  readonly failures: number;
}

interface WithSession<Session> extends Starting {
  readonly session: Session;
}

/** Where an agent is in its life, with what exists there. */
export type Life<Session> =
  | { readonly at: "stopped" }
  /** It hibernates: its session is kept, and no run of it is there. */
  | { readonly at: "asleep" }
  | ({ readonly at: "starting" } & Starting)
  /** The events of its session that came before this connection are being read. */
  | ({ readonly at: "catching_up" } & WithSession<Session>)
  /** All of them have been read; its tools may be missing. */
  | ({ readonly at: "checking_tools" } & WithSession<Session>)
  | ({ readonly at: "confirming" } & WithSession<Session>)
  /** Through an open gate the session gets messages. It is closed before the agent hibernates or ends. */
  | ({
      readonly at: "up";
      readonly gate: "open" | "closed";
      readonly sinceMs: number;
    } & WithSession<Session>)
  /** It was lost, and is started again after a while. */
  | ({ readonly at: "restarting"; readonly why: string } & Starting)
  /** Too many starts in a row have failed: it waits for a person. */
  | { readonly at: "quarantined"; readonly why: string };

/** What happens to an agent. */
export type LifeFact<Session> =
  | { readonly type: "begun"; readonly asleep: boolean }
  | { readonly type: "woken" }
  | { readonly type: "connected"; readonly session: Session }
  | { readonly type: "caught_up" }
  | { readonly type: "role_asked" }
  | { readonly type: "ready"; readonly nowMs: number }
  | { readonly type: "gate_closed" }
  | { readonly type: "gate_opened" }
  | { readonly type: "fell_asleep" }
  | { readonly type: "lost"; readonly why: string; readonly nowMs: number }
  | { readonly type: "waited" }
  /** A person has lifted the quarantine. */
  | { readonly type: "lifted" }
  | { readonly type: "stopped" };

export interface LifeLimits {
  /** An agent that was up for less than this had a failed start. */
  readonly stableMs: number;
  /** This many failed starts in a row put it into quarantine. */
  readonly failedStarts: number;
}

/** The life after the fact. A fact that does not belong to the present state changes nothing. */
export function nextLife<Session>(
  life: Life<Session>,
  fact: LifeFact<Session>,
  limits: LifeLimits,
): Life<Session> {
  if (fact.type === "stopped") return life.at === "stopped" ? life : { at: "stopped" };
  switch (life.at) {
    case "stopped":
      if (fact.type !== "begun") return life;
      return fact.asleep ? { at: "asleep" } : { at: "starting", failures: 0 };
    case "asleep":
      return fact.type === "woken" ? { at: "starting", failures: 0 } : life;
    case "restarting":
      return fact.type === "waited" ? { at: "starting", failures: life.failures } : life;
    case "quarantined":
      return fact.type === "lifted" ? { at: "starting", failures: 0 } : life;
    case "up":
      return afterUp(life, fact, limits);
    default:
      return afterStart(life, fact, limits);
  }
}

type At<Session, Name extends Life<Session>["at"]> = Extract<Life<Session>, { at: Name }>;
type ComingUp<Session> = At<Session, "starting" | "catching_up" | "checking_tools" | "confirming">;

function afterStart<Session>(
  life: ComingUp<Session>,
  fact: LifeFact<Session>,
  limits: LifeLimits,
): Life<Session> {
  const { failures } = life;
  if (fact.type === "lost") return afterFailures(failures + 1, fact.why, limits);
  if (life.at === "starting") {
    if (fact.type !== "connected") return life;
    return { at: "catching_up", failures, session: fact.session };
  }
  const { session } = life;
  if (life.at === "catching_up") {
    return fact.type === "caught_up" ? { at: "checking_tools", failures, session } : life;
  }
  if (fact.type === "ready") {
    return { at: "up", failures, session, gate: "open", sinceMs: fact.nowMs };
  }
  const asksRole = life.at === "checking_tools" && fact.type === "role_asked";
  return asksRole ? { at: "confirming", failures, session } : life;
}

function afterUp<Session>(
  life: At<Session, "up">,
  fact: LifeFact<Session>,
  limits: LifeLimits,
): Life<Session> {
  switch (fact.type) {
    case "gate_closed":
      return life.gate === "closed" ? life : { ...life, gate: "closed" };
    case "gate_opened":
      return life.gate === "open" ? life : { ...life, gate: "open" };
    case "fell_asleep":
      // Nothing may be on its way to a session that ends.
      return life.gate === "closed" ? { at: "asleep" } : life;
    case "lost": {
      const wasStable = fact.nowMs - life.sinceMs >= limits.stableMs;
      return afterFailures(wasStable ? 0 : life.failures + 1, fact.why, limits);
    }
    default:
      return life;
  }
}

const afterFailures = <Session>(
  failures: number,
  why: string,
  { failedStarts }: LifeLimits,
): Life<Session> =>
  failures >= failedStarts ? { at: "quarantined", why } : { at: "restarting", why, failures };

/** The session, whether or not it may get messages. */
export const sessionOf = <Session>(life: Life<Session>): Session | undefined =>
  "session" in life ? life.session : undefined;

/** The session, when it may get messages. */
export const openSessionOf = <Session>(life: Life<Session>): Session | undefined =>
  life.at === "up" && life.gate === "open" ? life.session : undefined;

/** The session, once its earlier events have been read. */
export const caughtUpSessionOf = <Session>(life: Life<Session>): Session | undefined =>
  life.at === "catching_up" ? undefined : sessionOf(life);

/** What people see of an agent that is not up; what an agent does that is up, its session tells. */
export const shownLife: Readonly<Record<Exclude<Life<unknown>["at"], "up">, AgentState>> = {
  stopped: "stopped",
  asleep: "hibernated",
  starting: "starting",
  catching_up: "starting",
  checking_tools: "starting",
  confirming: "confirming",
  restarting: "restarting",
  quarantined: "quarantined",
};
