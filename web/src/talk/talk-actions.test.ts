import { expect, test } from "vitest";
import { TalkState } from "../state/talk-state.ts";
import { TeamState } from "../state/team-state.ts";
import type { TalkActions } from "./talk-actions.ts";
import { agentActions, sessionActions } from "./talk-actions.ts";

test("what needs a session's process rejects while there is none, and never throws", async () => {
  const team = new TeamState();
  const talk = new TalkState({ agent: "boss", team });
  const all: [string, Promise<unknown> | undefined][] = [sessionActions, sessionOfTeam].flatMap(
    (actionsOf) => {
      const actions: TalkActions = actionsOf(talk);
      return [
        ["complete", actions.completeFile?.("src")],
        ["send", actionsOf === sessionActions ? actions.send?.("hi", options) : undefined],
        ["drop", actions.drop?.("m1")],
      ];
    },
  );
  const refused = all.flatMap(([name, work]) => (work ? [{ name, work }] : []));
  expect(refused.map(({ name }) => name)).toEqual(["complete", "send", "drop", "complete", "drop"]);
  for (const { work } of refused) await expect(work).rejects.toThrow("no connection");
});

const options = { id: "m1", priority: "next" } as const;
const sessionOfTeam = (talk: TalkState): TalkActions =>
  agentActions(talk, talk.team ?? new TeamState(), true);
