import { expect, test } from "vitest";
import { FakeTeam } from "../support/fake-team.ts";

const pair = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

const lost = { code: "connection_lost", message: "gone", retryable: true, hint: "wait" };

/** Its lead asks for leave, which the policy gives. */
async function teamThatAsksLeave() {
  const team = await FakeTeam.up(`${pair}policy: [{ tool: Bash, action: allow }]`, {
    boss: (_said, self) => self.askLeave("Bash", { command: "x" }),
  });
  const { session } = team.agent("boss");
  return { team, session, obey: session.onCommand };
}

test("an answer whose waiter's CLI was killed comes as a message as soon as that turn is over", async () => {
  const free = Promise.withResolvers<string>();
  const team = await FakeTeam.up(pair, {
    boss: async (_said, self) => {
      await self.send("coder", "do it", { wait: true }).catch(() => {});
      return new Promise<never>(() => {});
    },
    coder: () => free.promise,
  });
  const boss = team.agent("boss");
  await team.running.send("go");
  await team.until("turn_started", { fits: ({ agent }) => agent === "coder" });
  await boss.loseCli();
  await expect.poll(() => [...team.running.office.waits]).toEqual([]);
  free.resolve("it is done");
  const { message } = await team.until("message_sent", {
    fits: (event) => event.message.type === "task_response",
  });
  // As long as the session has not told of it, the call might be made again.
  await expect.poll(() => team.running.agents.get("coder")?.state).toBe("ready");
  expect(boss.heard.join()).not.toContain("it is done");
  boss.noticeLoss();
  await team.until("message_moved", {
    fits: ({ id, step }) => id === message.id && step === "seen",
    withinMs: 10_000,
  });
  expect(boss.heard.join()).toContain("it is done");
});

test("what the policy allows is allowed also when its first answer was lost with the agent's process", async () => {
  const { team, session, obey } = await teamThatAsksLeave();
  session.onCommand = (command, client) => {
    if (command.type !== "approve") return obey(command, client);
    session.onCommand = obey;
    return client.answer(command, "error", lost);
  };
  const asked = team.ask("go");
  const { request } = await team.until("approval_requested");
  await team.until("notice", { fits: ({ message }) => message.includes("did not arrive") });
  expect(request.type).toBe("approval_request");
  if (request.type !== "approval_request") return;
  const { seq: _, at: __, ...again } = request;
  session.happen({ ...again, again: true });
  expect((await asked).text).toBe("allowed");
  expect(await team.until("approval_resolved")).toMatchObject({ outcome: "allowed", by: "policy" });
});

test("what the policy allowed is told as its decision also when only the word that it arrived was lost", async () => {
  const { team, session, obey } = await teamThatAsksLeave();
  session.onCommand = (command, client) => {
    if (command.type !== "approve") return obey(command, client);
    client.answer(command, "error", lost);
    void team
      .until("notice", { fits: ({ message }) => message.includes("did not arrive") })
      .then(() => obey(command, client));
  };
  expect((await team.ask("go")).text).toBe("allowed");
  expect(await team.until("approval_resolved")).toMatchObject({ outcome: "allowed", by: "policy" });
});
