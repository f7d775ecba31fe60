import { expect, test } from "vitest";
import type { WaitingAgents } from "./waits-for-person.ts";
import { waitsForPerson } from "./waits-for-person.ts";

interface Scene {
  /** Agents that a person has to decide for. */
  readonly asking?: readonly string[];
  /** Agents that a usage limit has stopped. */
  readonly limited?: readonly string[];
  /** By agent: the agents that its calls wait for. */
  readonly calls?: Record<string, readonly string[]>;
  /** By agent: the agents that work on parts of its task. */
  readonly parts?: Record<string, readonly string[]>;
}

const agentsOf = ({ asking = [], limited = [], calls = {}, parts = {} }: Scene): WaitingAgents => ({
  stateOf: (agent) => (asking.includes(agent) ? "waiting" : "working"),
  waitsForReset: (agent) => limited.includes(agent),
  waits: { of: (agent) => (calls[agent] ?? []).map((awaited) => ({ awaited })) },
  tasks: {
    openOf: (agent) => [{ id: `task of ${agent}` }],
    openBelow: (task) =>
      (parts[task.slice("task of ".length)] ?? []).map((to_agent) => ({ to_agent })),
  },
});

test.each<[string, Scene, boolean]>([
  ["is true for an agent that asks a person", { asking: ["boss"] }, true],
  ["is false when only another agent asks", { asking: ["coder"] }, false],
  ["is true for an agent that goes on when a limit resets", { limited: ["boss"] }, true],
  ["follows a call to such an agent", { limited: ["coder"], calls: { boss: ["coder"] } }, true],
  ["follows a call", { asking: ["coder"], calls: { boss: ["coder"] } }, true],
  ["follows the parts of a task", { asking: ["coder"], parts: { boss: ["coder"] } }, true],
  [
    "follows a part and then a call",
    { asking: ["tester"], parts: { boss: ["coder"] }, calls: { coder: ["tester"] } },
    true,
  ],
  ["ends in a circle", { calls: { boss: ["coder"], coder: ["boss"] } }, false],
])("waitsForPerson %s", (_what, scene, expected) => {
  expect(waitsForPerson("boss", agentsOf(scene))).toBe(expected);
});
