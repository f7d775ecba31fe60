import { useEffect, useState } from "preact/hooks";
import type { TeamEvent, TeamParamsInput } from "agent-switchboard/wire";
import type { TeamRequest, TeamResults } from "agent-switchboard/team/core";
import { explain } from "../link/errors.ts";
import { useTeam } from "./page-state.ts";

const SOON_MS = 500;

export interface Asked<Answer> {
  /** The newest answer; it stays while a newer one is on its way. */
  readonly answer: Answer | undefined;
  readonly failure: string | undefined;
  /** Asks again now. */
  readonly again: () => void;
}

/**
 * What the team answers to a question. It asks again when the question changes, when the connection is back, and soon
 * after one of these events; without a question it asks nothing.
 */
export function useAsk<Method extends TeamRequest>(
  method: Method,
  params: TeamParamsInput<Method> | undefined,
  events: readonly TeamEvent["type"][] = [],
): Asked<TeamResults[Method]> {
  const team = useTeam();
  const isLive = team.link.value.kind === "live";
  const [count, setCount] = useState(0);
  const question = params === undefined ? undefined : JSON.stringify([method, params]);
  const [state, setState] = useState<{
    question?: string;
    answer?: TeamResults[Method];
    failure?: string;
  }>({});
  useEffect(() => {
    if (question === undefined || params === undefined || !isLive) return undefined;
    let isWanted = true;
    team.client.request(method, params).then(
      (answer) => isWanted && setState({ question, answer }),
      (error: unknown) => isWanted && setState({ question, failure: explain(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [team, question, isLive, count]);
  useEffect(() => {
    if (events.length === 0) return undefined;
    const types: ReadonlySet<string> = new Set(events);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = team.listen((items) => {
      if (timer !== undefined || !items.some(({ type }) => types.has(type))) return;
      timer = setTimeout(() => {
        timer = undefined;
        setCount((before) => before + 1);
      }, SOON_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [team, events.join(" ")]);
  const isOwn = state.question === question;
  return {
    answer: isOwn ? state.answer : undefined,
    failure: isOwn ? state.failure : undefined,
    again: () => setCount((before) => before + 1),
  };
}
