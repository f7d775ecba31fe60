import type { TeamEvent } from "agent-switchboard/wire";
import { TeamView } from "agent-switchboard/team/core";
import { Lanes } from "./lanes.ts";

/** All that the board and the lines show, as it was after one event. */
export interface Scene {
  readonly view: TeamView;
  readonly lanes: Lanes;
}

export const emptyScene = (): Scene => ({ view: new TeamView(), lanes: new Lanes() });

export const copyScene = ({ view, lanes }: Scene): Scene => ({
  view: view.copy(),
  lanes: new Lanes(lanes),
});

export function applyTo({ view, lanes }: Scene, event: TeamEvent): void {
  view.apply(event);
  lanes.apply(event);
}
