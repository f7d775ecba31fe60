import type { Look } from "../../../src/team/delivery/stage.ts";
import type { WorldState } from "./world-state.ts";

/** What the inbox finds out about the message in this instant. */
export function lookOf(world: WorldState, call: string): Look {
  const { isTaken, isSeen, hasCall, isBusy } = world.view;
  const mayReturn = world.kind === "question" || world.kind === "answer";
  return {
    isControl: world.kind === "control",
    isAsleep: world.isAsleep,
    isSeen,
    isTaken,
    holdUp: world.holdUp,
    waitingCall: mayReturn && world.session.isWaiting && hasCall ? call : undefined,
    resentCall: world.kind === "answer" && hasCall ? call : undefined,
    hasSession: world.isConnected && world.read === world.session.log.length && !world.isAsleep,
    isExpired: world.isExpired,
    isQuiet: world.kind === "note",
    mayJoin: !isBusy || world.kind !== "answer" || world.isAboutTurn,
  };
}
