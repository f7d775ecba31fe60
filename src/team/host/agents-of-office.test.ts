import { expect, test } from "vitest";
import type { AgentSpec } from "../file/team.ts";
import type { AgentHost, AgentRun, HostedAgent, RunMark } from "./agent-host.ts";
import { AgentsOfOffice } from "./agents-of-office.ts";

const never = new AbortController().signal;
const spec = { id: "a" } as AgentSpec;

/** A machine that notes what it is told about its one agent. */
class NotingHost {
  readonly did: string[] = [];
  #runs = 0;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  agent(_: AgentSpec, mark: RunMark): HostedAgent {
    const { did } = this;
    did.push(`knows ${mark["process"] ?? "nothing"}`);
    return {
      facts: {},
      logHint: "",
      outlivesOffice: false,
      offerTools: async () => {},
      untilStartable: async () => {},
      moveTo: () => Promise.reject(new Error("It stays here.")),
      start: async (resume) => {
        did.push(`starts with ${resume ?? "nothing"}`);
        this.#runs += 1;
        return { mark: { process: `${this.#name}-${this.#runs}` } } as unknown as AgentRun;
      },
      stop: async () => {
        did.push("stops");
        return "ended";
      },
    };
  }
}

/** Starts the agent at an office, and returns what its machine was told, with the new mark. */
async function startAt(
  machine: NotingHost,
  office: string,
  mark: RunMark,
): Promise<{ did: string[]; mark: RunMark }> {
  machine.did.length = 0;
  const host = new AgentsOfOffice(machine as unknown as AgentHost, office);
  const run = await host.agent(spec, mark).start("session", never);
  return { did: [...machine.did], mark: run.mark };
}

test("an agent without a host begins anew when the office has moved, and the machine before finds its old process", async () => {
  const [one, other] = [new NotingHost("one"), new NotingHost("other")];
  const first = await startAt(one, "o1", {});
  expect(first.did).toEqual(["knows nothing", "starts with session"]);
  const again = await startAt(one, "o1", first.mark);
  expect(again.did).toEqual(["knows one-1", "starts with session"]);
  // A process id of another machine is never used.
  const moved = await startAt(other, "o2", again.mark);
  expect(moved.did).toEqual(["knows nothing", "stops", "starts with nothing"]);
  const back = await startAt(one, "o1", moved.mark);
  expect(back.did).toEqual(["knows one-2", "stops", "starts with nothing"]);
  expect(back.mark).toEqual({
    process: "one-3",
    office: "o1",
    "at o2": JSON.stringify({ process: "other-1" }),
  });
});

test("a run from before the team had offices is that of the first", async () => {
  const { did } = await startAt(new NotingHost("one"), "o1", { process: "old" });
  expect(did).toEqual(["knows old", "starts with session"]);
});
