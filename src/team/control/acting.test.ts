import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { MAX_SOCKET_PATH_BYTES } from "../../net/socket-file/socket-path.ts";
import { methodEffects } from "../../wire/team/method-effects.ts";
import { teamMethods } from "../../wire/team/control-methods.ts";
import { connectTeam } from "../client/connect-team.ts";
import { TeamView } from "../client/team-view.ts";
import { observeSocket } from "../state-dir/control-socket-path.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { PlainTeamClient } from "../../../test/support/plain-team-client.ts";

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
`;

/** A team whose lead asks for leave to run what it is told, and a client with a name. */
async function askingTeam(deadlineMs?: number) {
  const team = await FakeTeam.up(yaml, {
    boss: (said, self) =>
      said.startsWith("plan")
        ? self.askForPlan(said)
        : self.askLeave("Bash", { command: said }, deadlineMs),
  });
  const client = await PlainTeamClient.connect(team);
  await client.result("hello", { client: "anna" });
  const requestAbout = async (text: string): Promise<string> => {
    const since = client.told.length;
    await client.result("send", { text });
    const { request } = await client.until("approval_requested", { since });
    return (request as { request_id: string }).request_id;
  };
  return { team, client, requestAbout };
}

test("[TEAM-20] `approve` and `deny` pass on everything that a session takes, and the timeline says what ran", async () => {
  const { team, client, requestAbout } = await askingTeam();
  const { session } = team.agent("boss");

  const first = await requestAbout("rm all");
  const updated_input = { command: "ls" };
  await client.result("approve", { request_id: first, scope: "session", updated_input });
  expect(await session.until("approve")).toMatchObject({ scope: "session", updated_input });
  expect(await client.until("approval_resolved")).toMatchObject({
    request_id: first,
    by: "anna",
    scope: "session",
    updated_input,
    changed: { tool: "Bash", asked: "rm all", ran: "ls" },
  });

  const second = await requestAbout("plan it");
  await client.result("approve", { request_id: second, mode: "acceptEdits", plan: "less" });
  const resolved = { fits: (line: object) => "request_id" in line && line.request_id === second };
  expect(await client.until("approval_resolved", resolved)).toMatchObject({
    outcome: "allowed",
    mode: "acceptEdits",
    plan: "less",
  });

  const third = await requestAbout("again");
  const since = client.told.length;
  await client.result("deny", { request_id: third, reason: "not today", interrupt: true });
  expect(await session.until("deny")).toMatchObject({ reason: "not today", interrupt: true });
  expect(await client.until("approval_resolved", { since })).toMatchObject({
    outcome: "denied",
    reason: "not today",
  });
  expect(await client.until("turn_ended", { since })).toMatchObject({ stop_reason: "denied" });
});

test("[TEAM-20] a decision that comes twice is told who was first, and one on an unknown id what is pending", async () => {
  const { client, requestAbout } = await askingTeam();
  const request_id = await requestAbout("ls");
  await client.result("approve", { request_id });
  await client.until("approval_resolved");
  for (const method of ["approve", "deny", "hold"]) {
    const params = { request_id, ...(method === "hold" && { ms: 1000 }) };
    expect(await client.refusal(method, params)).toMatchObject({
      message: "The request was allowed by anna before.",
      data: { code: "already_resolved", outcome: "allowed", by: "anna", agent_id: "boss" },
    });
  }
  expect(await client.refusal("approve", { request_id: "toolu_nobody" })).toMatchObject({
    data: { code: "unknown_request", hint: expect.stringContaining("switchboard approvals") },
  });
});

test("[TEAM-21] `hold` moves the deadline of a request, and the timeline says who did so", async () => {
  const { client, requestAbout } = await askingTeam(60_000);
  const view = new TeamView();
  const request_id = await requestAbout("ls");
  const ms = 600_000;
  expect(await client.result("hold", { request_id, ms })).toEqual({
    agent: "boss",
    remaining_ms: ms,
  });
  const held = await client.until("approval_held");
  expect(held).toMatchObject({ agent: "boss", request_id, by: "anna" });
  expect(held["remaining_ms"]).toBeGreaterThan(ms - 30_000);
  expect(held["remaining_ms"]).toBeLessThanOrEqual(ms);

  await client.result("attach", { since: 0 });
  await client.until("approval_held", { since: client.told.length });
  for (const line of client.told) if (line.seq !== undefined) view.apply(line as never);
  const shown = view.approvals.get(request_id)?.request as { deadline?: string };
  expect(shown.deadline).toBe(held["deadline"]);

  expect(await client.refusal("hold", { request_id: "toolu_nobody", ms })).toMatchObject({
    data: { code: "unknown_request" },
  });
  expect(await client.refusal("hold", { request_id, ms: 0 })).toMatchObject({
    data: { code: "invalid_params" },
  });
});

test("[TEAM-21] `hold` changes nothing for a request that waits for ever", async () => {
  const { team, client, requestAbout } = await askingTeam();
  const request_id = await requestAbout("ls");
  expect(await client.result("hold", { request_id, ms: 5000 })).toEqual({ agent: "boss" });
  expect(team.agent("boss").session.told.map(({ type }) => type)).not.toContain("hold");
});

test("[TEAM-22] the socket for observers serves the methods that read, and refuses all others", async () => {
  const team = await FakeTeam.up(yaml, { boss: () => "done" });
  const control = await PlainTeamClient.connect(team);
  const path = observeSocket(team.stateDir);
  expect(await control.until("init")).toMatchObject({ read_only: false, observe_socket: path });
  const observer = await PlainTeamClient.observe(team);
  expect(await observer.until("init")).toMatchObject({ read_only: true, observe_socket: path });

  const acting = Object.entries(methodEffects).flatMap(([method, effect]) =>
    effect === "reads" ? [] : [method],
  );
  expect(acting).toContain("down");
  for (const method of acting) {
    expect(await observer.refusal(method, {})).toMatchObject({
      code: -32052,
      data: { code: "read_only", method, hint: expect.stringContaining("team.sock") },
    });
  }
  for (const method of Object.keys(teamMethods).filter((each) => !acting.includes(each))) {
    const { error } = await observer.ask(method, method, {});
    const code = (error as { data: { code: string } } | undefined)?.data.code;
    expect(["read_only", "method_not_found"]).not.toContain(code);
  }
  await team.ask("go");
  expect(await observer.until("answered")).toMatchObject({ text: "done" });
  expect((await observer.result("status"))["observe_socket"]).toBe(path);
});

test("[TEAM-22] a `TeamClient` on the socket for observers knows that it only reads", async () => {
  const team = await FakeTeam.up(yaml, {});
  await using client = await connectTeam(observeSocket(team.stateDir), { name: "bob" });
  expect(client.init.read_only).toBe(true);
  await expect(client.request("send", { text: "go" })).rejects.toMatchObject({ code: "read_only" });
});

test("[TEAM-22] a team whose directory has a name too long for a second socket does without the one for observers", async () => {
  const root = memoryDir();
  const longest = MAX_SOCKET_PATH_BYTES - "/team.sock".length;
  const stateDir = join(root, "d".repeat(longest - root.length - 1));
  const team = await FakeTeam.up(yaml, {}, { root, stateDir });
  const client = await PlainTeamClient.connect(team);
  expect(await client.until("init")).not.toHaveProperty("observe_socket");
  expect(await client.result("status")).not.toHaveProperty("observe_socket");
});

test("[TEAM-23] a name that was fixed stays, whatever the connection says later", async () => {
  const { client, requestAbout } = await askingTeam();
  await client.result("hello", { client: "bob" });
  expect(await client.result("hello", { client: "carol", fixed: true })).toEqual({
    client: "carol",
    fixed: true,
  });
  for (const name of ["mallory", "carol"]) {
    expect(await client.refusal("hello", { client: name })).toMatchObject({
      data: { code: "not_allowed", client: "carol", hint: expect.stringContaining("hello") },
    });
  }
  const request_id = await requestAbout("ls");
  await client.result("approve", { request_id });
  expect(await client.until("approval_resolved")).toMatchObject({ by: "carol" });
});

test("[TEAM-24] `init` and `pong` have the team's time, and `approvals` has the time that is left", async () => {
  const { client, requestAbout } = await askingTeam(60_000);
  const now = Date.parse("2030-01-01T00:00:00Z");
  const request_id = await requestAbout("ls");
  const asked = Date.now();
  using clock = vi.spyOn(Date, "now").mockReturnValue(asked + 20_000);
  const { approvals } = await client.result("approvals");
  const [{ request }] = approvals as [{ request: { request_id: string; remaining_ms: number } }];
  expect(request.request_id).toBe(request_id);
  expect(request.remaining_ms).toBeGreaterThan(38_000);
  expect(request.remaining_ms).toBeLessThanOrEqual(40_000);
  clock.mockReturnValue(now);
  const [late] = (await client.result("approvals"))["approvals"] as [{ request: object }];
  expect(late.request).toMatchObject({ remaining_ms: 0 });

  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(await client.until("init")).toMatchObject({ at });
  expect(await client.result("ping")).toEqual({ pong: true, at });
});

const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

test("[TEAM-24] `remaining_ms` counts from the time of the team's event, also when the session told its own long before", async () => {
  const team = await FakeTeam.up(yaml, {});
  const client = await PlainTeamClient.connect(team);
  const { session } = team.agent("boss");
  const request_id = "toolu_1";
  session.happen({
    type: "approval_request",
    request_id,
    tool: "Bash",
    input: { command: "ls" },
    scopes: [{ scope: "once", label: "Once" }],
    deadline: soon(40_000),
    remaining_ms: 60_000,
  });
  const { request } = await client.until("approval_requested");
  expect((request as { remaining_ms: number }).remaining_ms).toBeLessThanOrEqual(40_000);
  const held = { deadline: soon(300_000), remaining_ms: 600_000 };
  session.happen({ type: "request_held", request_id, ...held, by: "ann" });
  expect((await client.until("approval_held"))["remaining_ms"]).toBeLessThanOrEqual(300_000);
});
