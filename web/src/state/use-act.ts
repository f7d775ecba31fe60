import { useState } from "preact/hooks";
import type { TeamParamsInput } from "agent-switchboard/wire";
import type { TeamRequest } from "agent-switchboard/team/core";
import { explain } from "../link/errors.ts";
import { useTeam } from "./page-state.ts";

export interface Act {
  readonly isBusy: boolean;
  /** Why the newest try failed. */
  readonly failure: string | undefined;
  /** Resolves with true when the team has done it. */
  readonly run: <Method extends TeamRequest>(
    method: Method,
    params: TeamParamsInput<Method>,
  ) => Promise<boolean>;
}

/** Asks the team to do something, one thing at a time. What it has done the events tell, not this. */
export function useAct(): Act {
  const team = useTeam();
  const [state, setState] = useState<{ isBusy: boolean; failure: string | undefined }>({
    isBusy: false,
    failure: undefined,
  });
  return {
    ...state,
    async run(method, params) {
      if (state.isBusy) return false;
      setState({ isBusy: true, failure: undefined });
      try {
        await team.client.request(method, params);
        setState({ isBusy: false, failure: undefined });
        return true;
      } catch (error) {
        setState({ isBusy: false, failure: explain(error) });
        return false;
      }
    },
  };
}
