import { expect, test } from "vitest";
import { FakeTeam } from "../../test/support/fake-team.ts";

const file = `
lead: boss
agents:
  boss: { description: d, prompt: p }
  coder: { description: d, prompt: p }
`;

test("a team with another office ends the agents that only this one reaches, and lets the others go on", async () => {
  const team = await FakeTeam.up(file, {});
  await team.stop();
  const stopped: string[] = [];
  const makeHost = team.newHost.bind(team);
  team.newHost = () => {
    const host = makeHost();
    const makeAgent = host.agent.bind(host);
    host.agent = (spec, mark) => {
      const hosted = makeAgent(spec, mark);
      const stop = hosted.stop.bind(hosted);
      hosted.stop = (askedMs) => {
        stopped.push(spec.id);
        return stop(askedMs);
      };
      // As one on a host that has joined.
      Object.defineProperty(hosted, "outlivesOffice", { value: spec.id === "coder" });
      return hosted;
    };
    return host;
  };
  await team.start();
  const { running } = team;
  const id = await running.send("Build it.");
  await team.until("answered", { fits: (event) => event.id === id });
  const since = team.told.length;
  await running.leave();
  expect(stopped).toEqual(["boss"]);
  await expect(running.send("more")).rejects.toMatchObject({ code: "bus_closed" });
  expect(team.told.slice(since).map(({ type }) => type)).not.toContain("team_stopping");
});
