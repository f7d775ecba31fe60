import type { AgentState } from "../../wire/team/events.ts";

/** `failures`: how many starts in a row have failed so far. */
interface Starting {
  readonly failures: number;
}

interface WithSession<Session> extends Starting {
  readonly session: Session;
}

/** The states of an agent's life, each with what exists in that state. */
export type Life<Session> =
  | { readonly at: "stopped" }
  /** It hibernates: its session is kept, and it has no run. */
  | { readonly at: "asleep" }
  /** `why`: what it waits for, before it can be started. */
  | ({ readonly at: "starting"; readonly why?: string } & Starting)
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
  | { readonly at: "quarantined"; readonly why: string }
  /** A person stops it: its run is being ended. */
  | { readonly at: "ending"; readonly why: string; readonly session: Session | undefined }
  /** A person has stopped it, and it waits for one to start it. */
  | { readonly at: "off"; readonly why: string };

/** What happens to an agent. */
export type LifeFact<Session> =
  /** @param off why it is to stay stopped; undefined when it is not. */
  | { readonly type: "begun"; readonly asleep: boolean; readonly off?: string | undefined }
  | { readonly type: "woken" }
  /** It cannot be started yet, or no longer waits. */
  | { readonly type: "awaited"; readonly why: string | undefined }
  | { readonly type: "connected"; readonly session: Session }
  | { readonly type: "caught_up" }
  | { readonly type: "role_asked" }
  | { readonly type: "ready"; readonly nowMs: number }
  | { readonly type: "gate_closed" }
  | { readonly type: "gate_opened" }
  | { readonly type: "fell_asleep" }
  | { readonly type: "lost"; readonly why: string; readonly nowMs: number }
  | { readonly type: "waited" }
  /** A person wants it stopped until one starts it again. */
  | { readonly type: "stop_asked"; readonly why: string }
  /** Its run has ended, because a person wanted it. */
  | { readonly type: "ended" }
  /** A person wants it started: it was stopped by one, hibernates, or is quarantined. */
  | { readonly type: "start_asked" }
  | { readonly type: "stopped" };

export interface LifeLimits {
  /** An agent that was up for less than this had a failed start. */
  readonly stableMs: number;
  /** This many failed starts in a row put it into quarantine. */
  readonly failedStarts: number;
}

type LifeAt<At> = Extract<Life<unknown>, { at: At }>;
type FactOf<Type> = Extract<LifeFact<unknown>, { type: Type }>;

/** The next state, by state and fact. A fact that has no row in a state does not change it. */
export type LifeTable = {
  readonly [At in Life<unknown>["at"]]: {
    readonly [Type in LifeFact<unknown>["type"]]?: (
      life: LifeAt<At>,
      fact: FactOf<Type>,
      limits: LifeLimits,
    ) => Life<unknown>;
  };
};

const stopped = (): Life<unknown> => ({ at: "stopped" });

/** A start has failed once more. */
const failed = (
  { failures }: Starting,
  { why }: FactOf<"lost">,
  limits: LifeLimits,
): Life<unknown> => afterFailures(failures + 1, why, limits);

const ready = (
  { failures, session }: WithSession<unknown>,
  { nowMs }: FactOf<"ready">,
): Life<unknown> => ({ at: "up", failures, session, gate: "open", sinceMs: nowMs });

const fresh = (): Life<unknown> => ({ at: "starting", failures: 0 });

/** What runs, or may run, has to be ended first. */
const ending = (life: Life<unknown>, { why }: FactOf<"stop_asked">): Life<unknown> => ({
  at: "ending",
  why,
  session: sessionOf(life),
});

export const lifeTable: LifeTable = {
  stopped: {
    begun: (_, { asleep, off }) => {
      // The previous process of the team may have been killed before it ended the run.
      if (off !== undefined) return { at: "ending", why: off, session: undefined };
      return asleep ? { at: "asleep" } : fresh();
    },
  },
  asleep: {
    woken: fresh,
    start_asked: fresh,
    stop_asked: (_, { why }) => ({ at: "off", why }),
    stopped,
  },
  starting: {
    awaited: (life, { why }) => {
      if (life.why === why) return life;
      const { failures } = life;
      return { at: "starting", failures, ...(why !== undefined && { why }) };
    },
    connected: ({ failures }, { session }) => ({ at: "catching_up", failures, session }),
    lost: failed,
    stop_asked: ending,
    stopped,
  },
  catching_up: {
    caught_up: ({ failures, session }) => ({ at: "checking_tools", failures, session }),
    lost: failed,
    stop_asked: ending,
    stopped,
  },
  checking_tools: {
    role_asked: ({ failures, session }) => ({ at: "confirming", failures, session }),
    ready,
    lost: failed,
    stop_asked: ending,
    stopped,
  },
  confirming: {
    ready,
    lost: failed,
    stop_asked: ending,
    stopped,
  },
  up: {
    gate_closed: (life) => (life.gate === "closed" ? life : { ...life, gate: "closed" }),
    gate_opened: (life) => (life.gate === "open" ? life : { ...life, gate: "open" }),
    // Nothing may be on its way to a session that ends.
    fell_asleep: (life) => (life.gate === "closed" ? { at: "asleep" } : life),
    lost: ({ failures, sinceMs }, { why, nowMs }, limits) =>
      afterFailures(nowMs - sinceMs >= limits.stableMs ? 0 : failures + 1, why, limits),
    stop_asked: ending,
    stopped,
  },
  restarting: {
    waited: ({ failures }) => ({ at: "starting", failures }),
    stop_asked: ending,
    stopped,
  },
  quarantined: {
    start_asked: fresh,
    stop_asked: ending,
    stopped,
  },
  ending: {
    ended: ({ why }) => ({ at: "off", why }),
    stopped,
  },
  off: {
    start_asked: fresh,
    stopped,
  },
};

function afterFailures(failures: number, why: string, { failedStarts }: LifeLimits): Life<unknown> {
  const isTooOften = failures >= failedStarts;
  return isTooOften ? { at: "quarantined", why } : { at: "restarting", why, failures };
}

/** The life after the fact. A fact that does not belong to the present state changes nothing. */
export function nextLife<Session>(
  life: Life<Session>,
  fact: LifeFact<Session>,
  limits: LifeLimits,
  table: LifeTable = lifeTable,
): Life<Session> {
  // The rows pass a session on and never make one, so the result has the same session.
  const step = table[life.at][fact.type] as
    | ((life: Life<Session>, fact: LifeFact<Session>, limits: LifeLimits) => Life<Session>)
    | undefined;
  return step ? step(life, fact, limits) : life;
}

/** The session, whether or not it may get messages. */
export const sessionOf = <Session>(life: Life<Session>): Session | undefined =>
  "session" in life ? life.session : undefined;

/** The session, when it may get messages. */
export const openSessionOf = <Session>(life: Life<Session>): Session | undefined =>
  life.at === "up" && life.gate === "open" ? life.session : undefined;

/** The session, once its earlier events have been read. */
export const caughtUpSessionOf = <Session>(life: Life<Session>): Session | undefined =>
  life.at === "catching_up" ? undefined : sessionOf(life);

/**
 * The state that people see of an agent that is not up; what an agent does that is up, its session tells. An agent
 * that is being ended is shown as stopped once it has ended.
 */
export const shownLife: Readonly<
  Record<Exclude<Life<unknown>["at"], "up" | "ending">, AgentState>
> = {
  stopped: "stopped",
  asleep: "hibernated",
  starting: "starting",
  catching_up: "starting",
  checking_tools: "starting",
  confirming: "confirming",
  restarting: "restarting",
  quarantined: "quarantined",
  off: "stopped",
};
