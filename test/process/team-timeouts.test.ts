import { expect, test, vi } from "vitest";
import { FakeTeam } from "../support/fake-team.ts";

const yaml = (timeouts: string): string => `
lead: boss
limits: { failed_starts: 1 }
timeouts: ${timeouts}
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

test("an agent that does not get ready in time is told so, whatever it hangs in", async () => {
  const team = await FakeTeam.up(yaml("{ start: 20 }"), {});
  await team.stop();
  team.agent("coder").isSilent = true;
  team.change(yaml("{ start: 0.3 }"));
  const since = team.told.length;
  await team.start();
  const { reason } = await team.until("agent_state", {
    since,
    fits: ({ agent, state }) => agent === "coder" && state === "quarantined",
  });
  expect(reason).toBe("coder was not ready within 0.3 s.");
});

test("a message that the bus does not take in time is refused with the time and the recipient", async () => {
  const team = await FakeTeam.up(yaml("{ send: 0.2 }"), {});
  vi.spyOn(team.running.office.bus, "send").mockReturnValue(new Promise(() => {}));
  const { text, isError } = await team.agent("boss").send("coder", "hello");
  expect(isError).toBe(true);
  expect(text).toMatch(/^Error -32001 \(timeout\): .*0\.2 s/);
  expect(text).toMatch(/"timeout_seconds": ?0\.2/);
  expect(text).toMatch(/"agent_id": ?"coder"/);
});
