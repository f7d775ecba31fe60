import { expect, test } from "vitest";
import { TeamView } from "../client/team-view.ts";
import type { TeamItem } from "../client/team-reader.ts";
import { MAX_SHOWN_BYTES } from "../timeline/cut-long-texts.ts";
import { openStoppedTeam } from "../stored-team.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import { PlainTeamClient } from "../../../test/support/plain-team-client.ts";

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

test("[TEAM-30] from a message one finds the turn that dealt with it, in the timeline and by `message`", async () => {
  const team = await FakeTeam.up(yaml, {
    boss: async (said, self) => {
      if (said === "go") await self.send("coder", "work");
      return "done";
    },
  });
  const client = await PlainTeamClient.connect(team);
  await team.ask("go");
  const { message } = await team.until("message_sent", {
    fits: (event) => event.message.to_agent === "coder",
  });
  const { id } = message;
  const started = await team.until("turn_started", {
    fits: ({ messages }) => messages.includes(id),
  });
  const turn = {
    agent: "coder",
    log_id: "log-coder",
    turn_id: started.turn_id,
    session_seq: started.session_seq,
  };
  for (const step of ["seen", "done"]) {
    const moved = await team.until("message_moved", {
      fits: (event) => event.id === id && event.step === step,
    });
    expect(moved.turn).toEqual(turn);
  }
  expect(await client.result("message", { id })).toMatchObject({ turn });
  const view = new TeamView();
  for (const event of team.told) view.apply(event);
  expect(view.messages.get(id)?.turn).toEqual(turn);
});

test("[TEAM-31] a long text is cut in the timeline, and `text` returns all of it, also of a stopped team", async () => {
  const long = "長い".repeat(MAX_SHOWN_BYTES);
  const team = await FakeTeam.up(yaml, { boss: (said) => (said === "speak" ? long : "short") });
  const client = await PlainTeamClient.connect(team);
  await team.ask("speak");
  const said = await team.until("said");
  const bytes = Buffer.byteLength(long);
  expect(said.bytes).toBe(bytes);
  expect(long.startsWith(said.text)).toBe(true);
  expect(Buffer.byteLength(said.text)).toBeLessThanOrEqual(MAX_SHOWN_BYTES);
  const { seq } = said;
  expect(await client.result("text", { seq })).toEqual({ seq, text: long });

  await team.ask("be brief");
  const brief = await team.until("said", { fits: ({ text }) => text === "short" });
  expect(brief).not.toHaveProperty("bytes");
  expect(await client.result("text", { seq: brief.seq })).toMatchObject({ text: "short" });
  for (const wrong of [1, 1_000_000]) {
    expect(await client.refusal("text", { seq: wrong })).toMatchObject({
      data: { code: "unknown_request", hint: expect.stringContaining("said") },
    });
  }
  await team.stop();
  await using stopped = await openStoppedTeam(team.stateDir);
  expect(await stopped.request("text", { seq })).toEqual({ seq, text: long });
});

test("[TEAM-32] a warning is open until a person acknowledges it, also over a restart of the team", async () => {
  const team = await FakeTeam.up(yaml, {});
  const client = await PlainTeamClient.connect(team);
  await client.result("hello", { client: "anna" });
  const { timeline } = team.running.teamRecords;
  timeline.append({ type: "notice", level: "info", message: "by the way" });
  timeline.append({ type: "notice", level: "warn", message: "first" });
  timeline.append({ type: "notice", level: "error", message: "second" });
  await timeline.flushed();
  const [info, first, second] = team.told.flatMap((event) =>
    event.type === "notice" ? [event.id ?? ""] : [],
  );
  const open = async (): Promise<unknown[]> => {
    const { notices } = await client.result("notices");
    return (notices as { message: string }[]).map(({ message }) => message);
  };
  expect(await open()).toEqual(["second", "first"]);
  expect(await client.result("status")).toMatchObject({ open_notices: 2 });

  // Two at once: one of them is first.
  const asked = await Promise.all(["a", "b"].map((ref) => client.ask(ref, "ack", { id: first })));
  expect(asked.map(({ result }) => result)).toEqual([{ acknowledged: true }, undefined]);
  expect(await client.until("notice_acknowledged")).toMatchObject({ id: first, by: "anna" });
  for (const id of [first, info, "n0"]) {
    expect(await client.refusal("ack", { id })).toMatchObject({
      data: { code: "unknown_request", hint: expect.stringContaining("switchboard notices") },
    });
  }
  const view = new TeamView();
  for (const item of team.told as TeamItem[]) view.apply(item);
  expect([...view.notices.keys()]).toEqual([second]);

  await team.stop();
  await using stopped = await openStoppedTeam(team.stateDir);
  expect(stopped.init.open_notices).toBe(1);
  await team.start();
  await using again = await team.connect();
  expect(again.init.open_notices).toBe(1);
  expect((await again.request("notices", {})).notices).toMatchObject([{ id: second }]);
});

test("[TEAM-32] a notice of an agent that has had no turn is told once, and stays acknowledged, over restarts of the team", async () => {
  const team = await FakeTeam.up(yaml, {});
  const { session } = team.agent("coder");
  const notice = { type: "notice", code: "mcp_server_failed", hint: "Look at it." } as const;
  session.happen({ ...notice, level: "warning", message: "shop did not start" });
  session.happen({ ...notice, level: "info", message: "by the way" });
  const passing = await team.until("notice", { fits: ({ message }) => message === "by the way" });
  expect(passing).toMatchObject({
    agent: "coder",
    code: "mcp_server_failed",
    session_seq: expect.any(Number),
  });
  const told = () =>
    team.told.flatMap((event) =>
      event.type === "notice" && event.agent === "coder" ? [event.message] : [],
    );
  expect(told()).toEqual(["shop did not start", "by the way"]);
  const { id } = await team.until("notice", { fits: ({ level }) => level === "warn" });
  await (await PlainTeamClient.connect(team)).result("ack", { id });

  await team.stop();
  await team.start();
  session.happen({ ...notice, level: "warning", message: "now" });
  const later = await team.until("notice", { fits: ({ message }) => message === "now" });
  expect(told()).toEqual(["shop did not start", "by the way", "now"]);
  const client = await PlainTeamClient.connect(team);
  expect((await client.result("notices"))["notices"]).toMatchObject([{ id: later.id }]);
});
