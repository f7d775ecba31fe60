import type { AgentState } from "agent-switchboard/wire";
import { expect, test } from "vitest";
import { agentActs, canDo } from "./agent-acts.ts";

const offered = (state: AgentState, hasTurn = false) =>
  agentActs.filter((act) => canDo(act, state, hasTurn));

test("only what the team would do in a state is offered", () => {
  expect(offered("ready")).toEqual(["hibernate", "stop"]);
  expect(offered("working", true)).toEqual(["abort", "stop"]);
  expect(offered("waiting", true)).toEqual(["abort", "stop"]);
  expect(offered("hibernated")).toEqual(["start", "stop"]);
  expect(offered("quarantined")).toEqual(["restart", "stop"]);
  expect(offered("stopped")).toEqual(["start"]);
});
