import { expect, test } from "vitest";
import type { FakeAgent } from "../../test/support/fake-agent.ts";
import { FakeTeam } from "../../test/support/fake-team.ts";
import type { FillForm } from "../../test/support/mcp-stage.ts";
import { McpStage, textOf, versions } from "../../test/support/mcp-stage.ts";

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
`;

const asksLeave = {
  boss: async (said: string, self: FakeAgent) =>
    `boss was ${await self.askLeave("Bash", { command: said })}`,
};

const ask = (text: string, more: object = {}, meta: object = {}) => ({
  name: "ask_team",
  arguments: { text, ...more },
  _meta: { ...meta },
});

const call = (id: string) => ({ "claudecode/toolUseId": id });
const sent = (team: FakeTeam) => team.told.filter(({ type }) => type === "message_sent").length;

test.for(versions)(
  "ask_team returns the lead's answer, marked as data, with progress, in MCP %s",
  async (version) => {
    const team = await FakeTeam.up(yaml, { boss: (said) => `I did: ${said}` });
    const client = await new McpStage(team.stateDir).connect({ version });
    const lines: string[] = [];
    const result = await client.callTool(ask("sort names"), {
      onprogress: ({ message = "" }) => void lines.push(message),
    });
    const text = textOf(result);
    expect(result.isError).not.toBe(true);
    expect(text).toMatch(
      /^The answer of boss, the lead of the team fake \(message [0-9a-f-]{36}\)\./,
    );
    expect(text).toMatch(/is data.*\n(----- [0-9a-f]{24} -----)\nI did: sort names\n\1$/);
    expect(lines).toContain("boss works.");
  },
);

test.for(versions)(
  "a call that is repeated with its tool-use id is one message with one answer, in MCP %s",
  async (version) => {
    const team = await FakeTeam.up(yaml, { boss: () => "once" });
    const stage = new McpStage(team.stateDir);
    const first = await stage.connect({ version });
    const second = await stage.connect({ version });
    const calls = [first, second, first].map((client) =>
      client.callTool(ask("do it", {}, call("toolu_1"))),
    );
    const texts = (await Promise.all(calls)).map(textOf);
    expect(texts.every((text) => text.includes("\nonce\n"))).toBe(true);
    expect(sent(team)).toBe(1);
    await first.callTool(ask("do it", {}, call("toolu_2")));
    await first.callTool(ask("do it", { id: "my own" }));
    await first.callTool(ask("do it", { id: "my own" }));
    expect(sent(team)).toBe(3);
  },
);

test.for(versions)(
  "what an agent wants to do is asked of the person in a form, and decided under the client's name, in MCP %s",
  async (version) => {
    const team = await FakeTeam.up(yaml, asksLeave);
    const forms: string[] = [];
    const fill: FillForm = ({ message, requestedSchema }) => {
      forms.push(`${message} ${JSON.stringify(requestedSchema.properties["decision"])}`);
      return {
        action: "accept",
        content: { decision: forms.length === 1 ? "once" : "deny", reason: "too risky" },
      };
    };
    const client = await new McpStage(team.stateDir).connect({ version, fill });
    expect(textOf(await client.callTool(ask("ls \u202egnp.x")))).toContain("boss was allowed");
    expect(forms).toEqual([
      expect.stringContaining(
        "boss, an agent of the team fake, wants to use Bash:\n\ncommand: ls [U+202E]gnp.x",
      ),
    ]);
    expect(textOf(await client.callTool(ask("rm -r x")))).toContain("boss was denied");
    const resolved = team.told.filter((event) => event.type === "approval_resolved");
    expect(resolved).toMatchObject([
      { outcome: "allowed", by: "ada (editor over MCP)" },
      { outcome: "denied", by: "ada (editor over MCP)", reason: "too risky" },
    ]);
  },
);

const answersBoth: FillForm = async () => ({
  action: "accept",
  content: { question_1: "Blue", question_2: "Ann", own_words_2: "Eve" },
});

test.for(versions)(
  "a question of an agent is a form with its options, in MCP %s",
  async (version) => {
    const team = await FakeTeam.up(yaml, {
      boss: async (_, self) =>
        JSON.stringify(
          await self.askUser(
            { question: "Colour?", labels: ["Red", "Blue"] },
            { question: "Name?", labels: ["Ann"] },
          ),
        ),
    });
    const client = await new McpStage(team.stateDir).connect({ version, fill: answersBoth });
    expect(textOf(await client.callTool(ask("paint")))).toContain(
      '{"Colour?":"Blue","Name?":"Eve"}',
    );
  },
);

test.for(versions)(
  "a form that is declined or closed decides nothing, and team_wait asks again, in MCP %s",
  async (version) => {
    const team = await FakeTeam.up(yaml, asksLeave);
    const actions = ["decline", "cancel", "accept"] as const;
    let shown = 0;
    const fill: FillForm = () => {
      const action = actions[shown] ?? "accept";
      shown += 1;
      return { action, ...(action === "accept" && { content: { decision: "once" } }) };
    };
    const client = await new McpStage(team.stateDir).connect({ version, fill });
    const text = textOf(await client.callTool(ask("ls")));
    expect(text).toContain("a person has to decide first");
    expect(text).toMatch(/switchboard approve toolu_boss_\d+ {3}or: switchboard deny/);
    const [, id = ""] = /message ([0-9a-f-]{36})/.exec(text) ?? [];
    const wait = { name: "team_wait", arguments: { id } };
    expect(textOf(await client.callTool(wait))).toContain("a person has to decide first");
    expect(team.told.some(({ type }) => type === "approval_resolved")).toBe(false);
    expect(textOf(await client.callTool(wait))).toContain("boss was allowed");
    expect([shown, sent(team)]).toEqual([3, 1]);
  },
);

test.for(versions)(
  "a client without forms is told what waits and how a person answers; it cannot decide, in MCP %s",
  async (version) => {
    const team = await FakeTeam.up(yaml, asksLeave);
    const client = await new McpStage(team.stateDir).connect({ version });
    const text = textOf(await client.callTool(ask("ls", { id: "mine" })));
    expect(text).toContain("You cannot decide this.");
    expect(text).toContain("command: ls");
    const names = (await client.listTools()).tools.map(({ name }) => name).toSorted();
    expect(names).toEqual(["ask_team", "team_status", "team_tasks", "team_wait"]);
    const person = await team.connect();
    const { approvals } = await person.request("approvals", {});
    await person.request("approve", { request_id: approvals[0]?.request.request_id ?? "" });
    const wait = { name: "team_wait", arguments: { id: "mine" } };
    expect(textOf(await client.callTool(wait))).toContain("boss was allowed");
    await person.close();
  },
);

test.for(versions)(
  "a form that was decided elsewhere meanwhile counts as decided, and the person there is in the record, in MCP %s",
  async (version) => {
    const team = await FakeTeam.up(yaml, asksLeave);
    const person = await team.connect();
    const fill: FillForm = async () => {
      const { approvals } = await person.request("approvals", {});
      await person.request("deny", { request_id: approvals[0]?.request.request_id ?? "" });
      return { action: "accept", content: { decision: "once" } };
    };
    const client = await new McpStage(team.stateDir).connect({ version, fill });
    expect(textOf(await client.callTool(ask("ls")))).toContain("boss was denied");
    await person.close();
  },
);

test.for(versions)(
  "a form whose content does not fit is shown again with the reason, three times at most, in MCP %s",
  async (version) => {
    const team = await FakeTeam.up(yaml, asksLeave);
    const messages: string[] = [];
    const fill: FillForm = ({ message }) => {
      messages.push(message);
      return { action: "accept", content: { decision: "perhaps" } };
    };
    const client = await new McpStage(team.stateDir).connect({ version, fill });
    expect(textOf(await client.callTool(ask("ls")))).toContain("a person has to decide first");
    expect(messages).toHaveLength(4);
    expect(messages[1]).toContain("That did not fit: The form says nothing about it.");
  },
);

test("two calls that wait at the same time show a request once", async () => {
  const team = await FakeTeam.up(yaml, {
    boss: (said, self) => self.askLeave("Bash", { command: said }),
  });
  const shown: string[] = [];
  const fill: FillForm = async ({ message }) => {
    shown.push(message);
    await new Promise((resolve) => setTimeout(resolve, 500));
    return { action: "accept", content: { decision: "once" } };
  };
  const client = await new McpStage(team.stateDir).connect({ version: "2026-07-28", fill });
  const texts = await Promise.all(["one", "two"].map((text) => client.callTool(ask(text))));
  expect(texts.map(textOf)).toEqual([
    expect.stringContaining("\nallowed\n"),
    expect.stringContaining("\nallowed\n"),
  ]);
  expect(shown).toHaveLength(2);
});

test("with mayDecide the calling model has team_decide", async () => {
  const team = await FakeTeam.up(yaml, asksLeave);
  const stage = new McpStage(team.stateDir, { mayDecide: true });
  const client = await stage.connect({ version: "2026-07-28" });
  const text = textOf(await client.callTool(ask("ls", { id: "mine" })));
  expect(text).toContain("call team_decide");
  const [, request_id] = /request (toolu_\w+)/.exec(text) ?? [];
  await client.callTool({ name: "team_decide", arguments: { request_id, decision: "allow" } });
  const wait = { name: "team_wait", arguments: { id: "mine" } };
  expect(textOf(await client.callTool(wait))).toContain("boss was allowed");
});

test("a form whose state was changed or signed with another key is refused, and decides nothing", async () => {
  const team = await FakeTeam.up(yaml, asksLeave);
  const stage = new McpStage(team.stateDir);
  const client = await stage.connect({ version: "2026-07-28", fill: () => ({ action: "cancel" }) });
  const params = ask("ls", { id: "mine" });
  const asked = await client.callTool(params, { allowInputRequired: true });
  const { requestState = "", inputRequests = {} } = asked as {
    requestState?: string;
    inputRequests?: Record<string, unknown>;
  };
  const [request = ""] = Object.keys(inputRequests);
  const inputResponses = { [request]: { action: "accept", content: { decision: "once" } } };
  const [version, body = "", mac = ""] = requestState.split(".");
  const forged = Buffer.from(
    JSON.stringify({ p: { message: "m", requests: [request], unfit: 0 }, exp: 9e9 }),
  ).toString("base64url");
  for (const state of [`${version}.${forged}.${mac}`, `${version}.${body}.${mac.slice(2)}AA`]) {
    await expect(
      client.callTool({ ...params, inputResponses, requestState: state } as typeof params),
    ).rejects.toThrow("Invalid or expired requestState");
  }
  expect(team.told.some(({ type }) => type === "approval_resolved")).toBe(false);
  const taken = await client.callTool({ ...params, inputResponses, requestState } as typeof params);
  expect(textOf(taken)).toContain("boss was allowed");
});

test.for(versions)(
  "ask_team with wait_s returns in time with the message's id, and the team works on, in MCP %s",
  async (version) => {
    const work = Promise.withResolvers<string>();
    const team = await FakeTeam.up(yaml, { boss: () => work.promise });
    const client = await new McpStage(team.stateDir).connect({ version });
    const text = textOf(await client.callTool(ask("long", { wait_s: 0.2 })));
    const [, id = ""] = /message ([0-9a-f-]{36})/.exec(text) ?? [];
    expect(text).toContain(`still at work on the message ${id}`);
    work.resolve("done at last");
    const wait = { name: "team_wait", arguments: { id } };
    expect(textOf(await client.callTool(wait))).toContain("done at last");
  },
);

const cancelled = [
  { cancelWithCall: true, state: "canceled" },
  { cancelWithCall: false, state: "working" },
];

test.for(cancelled)(
  "the task of a cancelled call is $state with cancelWithCall $cancelWithCall",
  async ({ cancelWithCall, state }) => {
    const team = await FakeTeam.up(yaml, { boss: () => new Promise(() => {}) });
    const stage = new McpStage(team.stateDir, { cancelWithCall });
    const client = await stage.connect({ version: "2026-07-28" });
    const controller = new AbortController();
    const calling = client.callTool(ask("long"), { signal: controller.signal });
    const [id = ""] = (await team.until("turn_started")).messages;
    controller.abort();
    await expect(calling).rejects.toThrow("abort");
    // The server handles what it is told in order: this call comes after the cancellation.
    await client.callTool({ name: "team_status", arguments: {} });
    await using person = await team.connect();
    const stateOf = async () => (await person.request("task", { id })).task.state;
    await expect.poll(stateOf).toBe(state);
  },
);

test("team_status, team_tasks and team://timeline tell of the team; a stopped team is a clear error", async () => {
  const team = await FakeTeam.up(yaml, { boss: () => "fine" });
  const client = await new McpStage(team.stateDir).connect({ version: "2026-07-28" });
  await client.callTool(ask("a small task"));
  expect(textOf(await client.callTool({ name: "team_status", arguments: {} }))).toContain(
    '"lead": "boss"',
  );
  const tasks = textOf(await client.callTool({ name: "team_tasks", arguments: { all: true } }));
  expect(tasks).toMatch(/completed {2}user → boss {2}a small task/);
  const { contents } = await client.readResource({ uri: "team://timeline" });
  const { events } = JSON.parse((contents[0] as { text: string }).text) as {
    events: { type: string }[];
  };
  expect(events.some(({ type }) => type === "answered")).toBe(true);
  await team.stop();
  const absent = await client.callTool(ask("more"));
  expect([absent.isError, textOf(absent)]).toEqual([
    true,
    expect.stringContaining("(team_not_running)"),
  ]);
});
