import { setTimeout as delay } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { errorOf } from "../wire/errors.ts";
import { FakeTeam } from "../../test/support/fake-team.ts";

const yaml = (timeouts: string): string => `
lead: boss
limits: { failed_starts: 1 }
timeouts: ${timeouts}
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

test("an agent that is not ready in time is quarantined with the time as the reason", async () => {
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

test("send_message fails with the time and the recipient when the bus does not take the message in time", async () => {
  const team = await FakeTeam.up(yaml("{ send: 0.2 }"), {});
  vi.spyOn(team.running.teamRecords.bus, "send").mockReturnValue(new Promise(() => {}));
  const { text, isError } = await team.agent("boss").send("coder", "hello");
  expect(isError).toBe(true);
  expect(text).toMatch(/^Error -32001 \(timeout\): .*0\.2 s/);
  expect(text).toMatch(/"timeout_seconds": ?0\.2/);
  expect(text).toMatch(/"agent_id": ?"coder"/);
});

test.each([{ wait: false }, { wait: true }])(
  "a request that became durable too late is published once and answered, and the job waits for it (%o)",
  async (how) => {
    const team = await FakeTeam.up(yaml("{ send: 0.2 }"), {
      boss: async (said, self) => {
        if (!said.includes("the job")) return `with ${said}`;
        const { bus } = team.running.teamRecords;
        const send = bus.send.bind(bus);
        vi.spyOn(bus, "send").mockImplementationOnce(async (...args) => {
          await delay(500);
          return send(...args);
        });
        const { text } = await self.send("coder", "a part", how);
        expect(text).toMatch(/^Error -32001 \(timeout\)/);
        await team.until("message_sent", { fits: ({ message }) => message.to_agent === "coder" });
        return "too early";
      },
      coder: () => "the part",
    });
    const { text } = await team.ask("the job");
    expect(text).toContain("the part");
    const { teamRecords } = team.running;
    const tellings = team.told.flatMap((event) =>
      event.type === "message_sent" && event.message.to_agent === "coder" ? [event.message] : [],
    );
    expect(tellings).toHaveLength(1);
    const [sent] = tellings;
    const row = await teamRecords.bus.records.get("roots", sent?.root_id ?? "");
    // The job, the part and its answer.
    expect(row?.value).toEqual({ messages: 3 });
    expect(await teamRecords.tasks.find(sent?.id ?? "")).toMatchObject({ state: "completed" });
  },
);

test("a turn does not wait for an answer that could not be sent when another one takes its place", async () => {
  const team = await FakeTeam.up(yaml("{ send: 20 }"), {
    boss: async (said, self) => {
      if (!said.includes("the job")) return `with ${said}`;
      await self.send("coder", "a part");
      return "too early";
    },
    coder: async (_said, self) => {
      const { message } = await team.until("message_sent", {
        fits: (event) => event.message.to_agent === "coder",
      });
      const { bus } = team.running.teamRecords;
      vi.spyOn(bus, "send").mockRejectedValueOnce(errorOf("disk_full", "no room"));
      const { isError } = await self.send("boss", "first", { reply_to: message.id });
      expect(isError).toBe(true);
      return "second";
    },
  });
  expect((await team.ask("the job")).text).toContain("second");
});
