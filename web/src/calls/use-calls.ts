import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PageState } from "../state/page-state.ts";
import { usePage } from "../state/page-state.ts";
import { Calls } from "./calls.ts";
import { SessionDecider } from "./session-decider.ts";
import { TeamDecider } from "./team-decider.ts";

const known = new WeakMap<PageState, Calls>();

/** In place of the page's own calls. */
export const CallsContext = createContext<Calls | undefined>(undefined);

/** The calls of a page. */
export function callsOf(page: PageState): Calls {
  const calls = known.get(page) ?? new Calls(deciderOf(page));
  known.set(page, calls);
  return calls;
}

export function useCalls(): Calls {
  const page = usePage();
  return useContext(CallsContext) ?? callsOf(page);
}

function deciderOf({ team, session }: PageState): TeamDecider | SessionDecider {
  if (team) return new TeamDecider(team);
  if (session) return new SessionDecider(session);
  throw new Error("The page has neither a team nor a session.");
}
