import { expect, test } from "vitest";
import { endOfTask } from "./retire-absent-agents.ts";

test.for([
  ["user", "boss", undefined],
  ["user", "gone", "tell_asker"],
  ["boss", "gone", "tell_asker"],
  ["gone", "boss", "cancel"],
  ["gone", "gone too", "fail"],
] as const)("endOfTask: of %s, given to %s: %s", ([from_agent, to_agent, end]) => {
  expect(endOfTask({ from_agent, to_agent }, (id) => id === "boss")).toBe(end);
});
