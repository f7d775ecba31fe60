import { isLeased, isOver } from "../../../src/team/delivery/stage.ts";
import type { WorldState } from "./world-state.ts";

/** What must not be so at any time. */
export function problemNow(world: WorldState): string | undefined {
  const { session, stage, entry, bus } = world;
  const { asMessage, inResults } = session.copies;
  if (asMessage + inResults > 1) return "the conversation has it twice";
  const isTaken = session.isTaken && session.over !== "dropped";
  if (isTaken && session.call === "returning") return "a call returns what the session has";
  if (world.runs.length > 0) return undefined;
  const isOurs = entry?.lease === world.leases && isLeased(stage);
  if (bus === "leased" && !isOurs && !world.isForgotten) return `${stage.at} keeps a lease`;
  return entry && isOver(stage) ? "a message that is over is remembered" : undefined;
}

/** What must not be so when nothing is left to do. */
export function problemAtEnd({ session, stage, entry, bus, told, kind }: WorldState) {
  const { asMessage, inResults } = session.copies;
  const at = JSON.stringify(stage);
  if (bus !== "done" && bus !== "dead") return `it is ${bus} in the inbox for ever (${at})`;
  if (entry) return `it is remembered for ever (${at})`;
  if (kind === "control") return undefined;
  if (told === "seen" && asMessage === 0) return "it is told as seen, and is no message";
  if (told === "returned" && inResults === 0) return "it is told as returned, and is in no result";
  // A session that was lost three times with it has it in its log all the same.
  const mayBeThere = told === "seen" || told === "returned" || told === "attempts";
  if (mayBeThere || asMessage + inResults === 0) return undefined;
  return `it is told as ${String(told)}, and is in the conversation`;
}
