import type { Signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { SignedIn } from "../link/sign-in.ts";
import type { TalkState } from "./talk-state.ts";
import type { TeamState } from "./team-state.ts";

/** What every view of the page can reach. */
export interface PageState {
  readonly signedIn: SignedIn;
  /** Absent when the gateway serves one session. */
  readonly team: TeamState | undefined;
  /** The one session; absent when the gateway serves a team. */
  readonly session: TalkState | undefined;
  /** What a screen reader is to say now, politely or at once. */
  readonly announcement: Signal<{ readonly text: string; readonly isUrgent: boolean }>;
}

export const PageContext = createContext<PageState | undefined>(undefined);

export function usePage(): PageState {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("A view stands outside the page.");
  return page;
}

/** The team's state, in views that only a team has. */
export function useTeam(): TeamState {
  const { team } = usePage();
  if (team === undefined) throw new Error("This view needs a team.");
  return team;
}

/** A viewer sees everything and has no buttons; the sockets refuse what a viewer sends. */
export const useMayAct = (): boolean => usePage().signedIn.role === "owner";
