import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { teamMethods } from "../../wire/team/control-methods.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import type { PlainLine } from "../../../test/support/plain-team-client.ts";
import { PlainTeamClient } from "../../../test/support/plain-team-client.ts";

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
`;

const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

test("[TEAM-1] the control socket sends init first, with protocol, version and the fields of status", async () => {
  const team = await FakeTeam.up(yaml, {});
  const client = await PlainTeamClient.connect(team);
  const init = await client.until("init");
  expect(client.told[0]).toBe(init);
  expect(init).toMatchObject({ protocol: 1, version: "0", team: "fake", lead: "boss" });
  const { result } = await client.ask(1, "status");
  expect(init).toMatchObject({ ...(result as object), pid: process.pid });
});

test("[TEAM-2] [TEAM-3] overlapping requests are answered by id, and errors have number, code and hint", async () => {
  const team = await FakeTeam.up(yaml, {});
  const client = await PlainTeamClient.connect(team);
  const ids = [1, "two", 3, 4];
  for (const id of ids) await client.send(id, "ping", {});
  const answers = await Promise.all(ids.map((id) => client.answer(id)));
  expect(answers.map(({ result }) => result)).toMatchObject(ids.map(() => ({ pong: true })));
  expect(await client.ask(5, "fly")).toMatchObject({
    error: { code: -32601, data: { code: "method_not_found", known: Object.keys(teamMethods) } },
  });
  expect(await client.ask(6, "restart", { agent: "nobody" })).toMatchObject({
    error: { code: -32000, data: { code: "agent_not_found", hint: expect.any(String) } },
  });
  client.say("{broken\n");
  expect(await client.answer(null)).toMatchObject({ error: { code: -32700 } });
  // What is wrong has its id, if that can be read: its client waits for an answer with it.
  client.say('{"jsonrpc":"2.0","id":"list","method":"status","params":["all"]}\n');
  expect(await client.answer("list")).toMatchObject({ error: { code: -32600 } });
  client.say('{"jsonrpc":"1.0","id":77,"method":"ping"}\n');
  expect(await client.answer(77)).toMatchObject({ error: { code: -32600 } });
  expect(await client.ask(7, "ping")).toMatchObject({ result: { pong: true } });
});

test("[TEAM-4] [TEAM-5] attach sends each event once, without gaps, after it is on the disk", async () => {
  const team = await FakeTeam.up(yaml, {});
  const live = await PlainTeamClient.connect(team);
  const { last_seq: before } = (await live.until("init")) as PlainLine & { last_seq: number };
  await team.ask("one");
  await live.until("answered");
  expect(live.seqs[0]).toBe(before + 1);

  // What the disk has not taken is not told.
  const { bus, timeline } = team.running.teamRecords;
  const disk = Promise.withResolvers<void>();
  const write = bus.records.write.bind(bus.records);
  const slow = vi.spyOn(bus.records, "write").mockImplementation(async (...writes) => {
    await disk.promise;
    return write(...writes);
  });
  timeline.append({ type: "notice", level: "info", message: "slowly" });
  await live.ask(1, "ping");
  expect(live.told.some(({ message }) => message === "slowly")).toBe(false);
  disk.resolve();
  await live.until("notice", { fits: ({ message }) => message === "slowly" });
  slow.mockRestore();

  const late = await PlainTeamClient.connect(team);
  await late.until("init");
  const attached = await late.ask(1, "attach", { since: 2 });
  const from = late.told.indexOf(attached);
  await team.ask("two");
  await late.until("answered", { since: from, fits: ({ text }) => text === "done" });
  await expect
    .poll(() => team.running.teamRecords.timeline.lastSeq - (late.seqs.at(-1) ?? 0))
    .toBe(0);
  const after = late.told.slice(from).flatMap(({ seq }) => seq ?? []);
  expect(after).toEqual(upTo(after.at(-1) ?? 0, 3));
});

test("[TEAM-5] an event that happens while `init` is being made is sent after `init`", async () => {
  const team = await FakeTeam.up(yaml, {});
  const { teamRecords } = team.running;
  const { timeline } = teamRecords;
  vi.spyOn(teamRecords, "refusals").mockImplementation(async () => {
    timeline.append({ type: "notice", level: "info", message: "meanwhile" });
    await timeline.flushed();
    return 0;
  });
  const client = await PlainTeamClient.connect(team);
  const { last_seq } = (await client.until("init")) as PlainLine & { last_seq: number };
  timeline.append({ type: "notice", level: "info", message: "afterwards" });
  await client.until("notice", { fits: ({ message }) => message === "afterwards" });
  expect(client.seqs).toEqual(upTo(client.seqs.at(-1) ?? 0, last_seq + 1));
  expect(client.told.map(({ message }) => message)).toContain("meanwhile");
});

test("[TEAM-6] attach with another log_id, or a seq that the log does not have, starts from the beginning", async () => {
  const team = await FakeTeam.up(yaml, {});
  const client = await PlainTeamClient.connect(team);
  const { log_id } = await client.until("init");
  const foreign = "5f0c8f9e-6d0a-4a52-9d4e-0b1f6f0a7c11";
  expect(await client.ask(1, "attach", { since: 1, log_id })).toMatchObject({
    result: { log_id, since: 1, reset: false },
  });
  expect(await client.ask(2, "attach", { since: 1, log_id: foreign })).toMatchObject({
    result: { log_id, since: 0, reset: true },
  });
  expect(await client.ask(3, "attach", { since: 1_000_000 })).toMatchObject({
    result: { since: 0, reset: true },
  });
  const from = client.told.findIndex(({ id }) => id === 3);
  await client.until("team_started", { since: from, fits: ({ seq }) => seq === 1 });
});

test("[TEAM-7] text deltas have no seq, and the complete text has one", async () => {
  const team = await FakeTeam.up(yaml, { boss: () => "all of it" });
  const client = await PlainTeamClient.connect(team);
  await client.until("init");
  await team.ask("speak");
  expect(await client.until("delta")).toEqual({
    type: "delta",
    agent: "boss",
    turn_id: "turn-boss-1",
    text: "all of it",
  });
  expect(await client.until("said")).toMatchObject({ text: "all of it", seq: expect.any(Number) });
});

test("[TEAM-8] a client has a number for a name until it gives one", async () => {
  const end = Promise.withResolvers<string>();
  const team = await FakeTeam.up(yaml, { boss: () => end.promise });
  const client = await PlainTeamClient.connect(team);
  const cancel = async (text: string): Promise<unknown> => {
    const id = await team.running.send(text);
    await client.until("task_changed", { fits: ({ task }) => (task as PlainLine)["id"] === id });
    await client.ask(text, "cancel", { task: id });
    const answered = await client.until("answered", {
      fits: (line: PlainLine) => line["id"] === id,
    });
    return answered["text"];
  };
  expect(await cancel("one")).toMatch(/canceled by client-\d+\./);
  expect(await client.ask(1, "hello", { client: "anna" })).toMatchObject({
    result: { client: "anna" },
  });
  expect(await cancel("two")).toBe("The task was canceled by anna.");
});

test("[TEAM-8] a client cannot take a name under which records would show the policy, the user or an agent", async () => {
  const client = await PlainTeamClient.connect(await FakeTeam.up(yaml, {}));
  for (const name of ["policy", "policy 1: allow Write", "user", "switchboard", "team", "boss"]) {
    expect(await client.ask(name, "hello", { client: name })).toMatchObject({
      error: { data: { code: "invalid_params", hint: expect.stringContaining("are taken") } },
    });
  }
});

test("[TEAM-9] a call that was edited before it was allowed is shown as it ran, with what was asked for", async () => {
  const team = await FakeTeam.up(yaml, {
    boss: (said, self) => self.askLeave("Bash", { command: said }),
  });
  const client = await PlainTeamClient.connect(team);
  await client.ask(1, "send", { text: "rm slug.test.mjs" });
  const { request_id } = (await client.until("approval_requested"))["request"] as {
    request_id: string;
  };
  team.agent("boss").session.happen({
    type: "approval_resolved",
    request_id,
    outcome: "allowed",
    by: "anna",
    updated_input: { command: "echo would remove" },
  });
  expect(await client.until("approval_resolved")).toMatchObject({
    by: "anna",
    updated_input: { command: "echo would remove" },
    changed: { tool: "Bash", asked: "rm slug.test.mjs", ran: "echo would remove" },
  });
  // A line of the communication log says so too, and is found by what ran.
  const { entries } = await client.result("log", { text: "would remove" });
  expect(entries).toMatchObject([
    {
      level: "INFO",
      from_agent: "user",
      to_agent: "boss",
      message_size: JSON.stringify({ command: "echo would remove" }).length,
      success: true,
      note: "allowed by anna: Bash echo would remove (changed; asked: rm slug.test.mjs)",
    },
  ]);
});

test("docs/protocol-team.md has every method, and every rule of it has a test", () => {
  const root = resolve(import.meta.dirname, "../../..");
  const page = readFileSync(join(root, "docs/protocol-team.md"), "utf8");
  const methods = Object.keys(teamMethods).filter(
    (method) => !new RegExp(`\`${method}[ \`]`).test(page),
  );
  expect(methods).toEqual([]);
  const rules = [...page.matchAll(/\*\*\[TEAM-(\d+)\]\*\*/g)].map(([, rule]) => Number(rule));
  expect(rules).toEqual([...new Set(rules)].toSorted((one, other) => one - other));
  const tests = ["src/team", "test/e2e"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => readFileSync(join(root, folder, name), "utf8")),
  );
  const cited = tests.join("").matchAll(/\[TEAM-(\d+)\][^*]/g);
  expect(new Set([...cited].map(([, rule]) => Number(rule)))).toEqual(new Set(rules));
});
