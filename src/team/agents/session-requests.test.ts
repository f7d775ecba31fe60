import { expect, test } from "vitest";
import { connectTeamOnce } from "../../../test/support/connect-team.ts";
import { controlSocket } from "../state-dir/control-socket-path.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";

test("`approvals` lists a question that an agent's session asks about itself, and a person answers it", async () => {
  const team = await FakeTeam.up(
    "lead: boss\nagents: { boss: { description: leads, prompt: p } }",
    {},
  );
  const asked = { code: "conversation_lost", message: "m", request_id: "lost_1" } as const;
  team.agent("boss").session.happen({ type: "notice", ...asked });
  await using anna = await connectTeamOnce(controlSocket(team.stateDir), "anna");
  const pending = async () => JSON.stringify(await anna.request("approvals", {}));
  await expect.poll(pending).toContain("lost_1");
  expect(await anna.request("approve", { request_id: "lost_1" })).toEqual({ agent: "boss" });
  expect(
    await team.until("approval_resolved", { fits: (event) => event.request_id === "lost_1" }),
  ).toMatchObject({ agent: "boss", outcome: "allowed", by: "anna" });
});
