import type { TeamMethod } from "./control-methods.ts";

/**
 * What a method does to a team. `reads`: nothing, so an observer may use it, and a client may ask again when the answer
 * was lost. `repeatable`: it changes something, but once, however often the same request arrives. `once`: it changes
 * something, and a repetition would do so again or be refused. `shown`: the same, and an event shows what became of it.
 */
export type MethodEffect = "reads" | "repeatable" | "shown" | "once";

export const methodEffects: Readonly<Record<TeamMethod, MethodEffect>> = {
  timeline: "reads",
  agent_history: "reads",
  agent_blob: "reads",
  team: "reads",
  budgets: "reads",
  task: "reads",
  log_stats: "reads",
  hello: "reads",
  attach: "reads",
  ping: "reads",
  status: "reads",
  send: "repeatable",
  tasks: "reads",
  cancel: "shown",
  drop: "repeatable",
  approvals: "reads",
  approve: "shown",
  deny: "shown",
  answer: "shown",
  respond: "shown",
  hold: "repeatable",
  log: "reads",
  message: "reads",
  text: "reads",
  notices: "reads",
  ack: "once",
  dead_letters: "reads",
  resend: "once",
  discard: "once",
  restart: "repeatable",
  stop: "once",
  start: "once",
  hibernate: "once",
  abort: "once",
  move: "once",
  set: "repeatable",
  down: "once",
};

/** Methods that the read-only control socket serves. */
export const readingMethods: readonly TeamMethod[] = (
  Object.keys(methodEffects) as TeamMethod[]
).filter((method) => methodEffects[method] === "reads");
