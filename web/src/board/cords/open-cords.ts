import type { Flight, Lanes } from "../scene/lanes.ts";

/** How long a cord is seen after its message was dealt with. */
export const FADE_MS = 2500;
const MAX_CORDS = 24;
const MAX_DEAD = 8;

export type CordState = "waiting" | "held" | "ended" | "dead";

export interface Cord {
  readonly flight: Flight;
  readonly state: CordState;
  /** How many cords between the same two jacks are before it. */
  readonly place: number;
}

export function cordStateOf({ step }: Pick<Flight, "step">): CordState {
  if (step === "dead") return "dead";
  if (step === "sent" || step === "pushed") return "waiting";
  return step === "seen" ? "held" : "ended";
}

/**
 * The messages that are cords now: those on their way or being worked on, for a moment those that were dealt with, and
 * the newest dead ones as far as they are still lost. The newest come first when there are too many.
 */
export function openCords(lanes: Lanes, now: number, lost: number): Cord[] {
  const chosen: Flight[] = [];
  let dead = 0;
  for (const flight of [...lanes.flights.values()].toReversed()) {
    if (chosen.length >= MAX_CORDS) break;
    const state = cordStateOf(flight);
    if (state === "dead") {
      dead += 1;
      if (dead <= Math.min(lost, MAX_DEAD)) chosen.push(flight);
    } else if (state !== "ended" || now - (flight.endedAt ?? 0) < FADE_MS) {
      chosen.push(flight);
    }
  }
  const counts = new Map<string, number>();
  return chosen.toReversed().map((flight) => {
    const pair = [flight.from, flight.to].toSorted().join(" ");
    const place = counts.get(pair) ?? 0;
    counts.set(pair, place + 1);
    return { flight, state: cordStateOf(flight), place };
  });
}
