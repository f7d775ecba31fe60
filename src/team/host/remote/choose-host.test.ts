import { describe, expect, test } from "vitest";
import type { HostSays } from "../../../wire/host.ts";
import type { AgentToPlace, Candidate } from "./choose-host.ts";
import { chooseHost } from "./choose-host.ts";

const host = (name: string, agents: number, says: Partial<HostSays> = {}): Candidate => ({
  name,
  agents,
  says: { version: "1", labels: {}, rehearsed: false, ...says },
});
const agent = (change: Partial<AgentToPlace>): AgentToPlace => ({
  id: "a",
  placement: { labels: { gpu: "yes" } },
  rehearsed: false,
  current: undefined,
  ...change,
});
const gpu = { labels: { gpu: "yes", disk: "big" } };

describe("chooseHost", () => {
  test("takes the host that the team file names, and waits for no other", () => {
    const named = agent({ placement: { host: "h2" } });
    expect(chooseHost(named, [host("h1", 0), host("h2", 9)])).toEqual({ host: "h2" });
    expect(chooseHost(named, [host("h1", 0)])).toEqual({
      wait: "waits for the host h2, which is not there",
    });
  });

  test("takes the host with all labels that has the fewest agents", () => {
    const hosts = [host("h1", 0), host("h2", 2, gpu), host("h3", 1, gpu)];
    expect(chooseHost(agent({}), hosts)).toEqual({ host: "h3" });
    expect(chooseHost(agent({}), [host("h1", 0)])).toEqual({
      wait: "waits for a host with gpu=yes",
    });
  });

  test("stays with the host that has the conversation, and waits for it while it is away", () => {
    const had = agent({ current: "h2" });
    expect(chooseHost(had, [host("h2", 9, gpu), host("h3", 0, gpu)])).toEqual({ host: "h2" });
    expect(chooseHost(had, [host("h3", 0, gpu)])).toEqual({
      wait: "waits for the host h2, which has its conversation",
    });
  });

  test("leaves a host that no longer has the labels", () => {
    const had = agent({ current: "h1" });
    expect(chooseHost(had, [host("h1", 0), host("h3", 0, gpu)])).toEqual({ host: "h3" });
  });

  test.each([
    [{ agents: ["b"] }, false, "waits: the host h1 takes only b"],
    [{ rehearsed: true }, false, "waits: the host h1 joined with --rehearsal, and the team is not"],
    [{}, true, "waits: the team is rehearsed, and the host h1 joined without --rehearsal"],
  ])("says why a host that fits does not take the agent: %j", (says, rehearsed, why) => {
    const choice = chooseHost(agent({ rehearsed }), [host("h1", 0, { ...gpu, ...says })]);
    expect(choice).toEqual({ wait: expect.stringContaining(why) });
  });
});
