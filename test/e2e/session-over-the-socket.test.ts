import { expect, test } from "vitest";
import { endOf, KilledSession } from "../support/killed-session.ts";
import { SessionLineClient } from "../support/session-line-client.ts";
import type { Line } from "../support/session-line-client.ts";
import { SessionCommandSchema } from "../../src/wire/session/commands.ts";

const script = `
rules:
  - when: { tool_result: "/./" }
    text: "I have seen it."
  - when: { user: "mark" }
    tools: [{ name: Bash, input: { command: "git init here" } }]
  - when: { user: "work" }
    tools: [{ name: Bash, input: { command: "until [ -e never ]; do sleep 0.1; done" } }]
default: { text: "I am here." }
`;
const withinMs = 60_000;
const DAY_MS = 86_400_000;

/** Whether a line is about this request, call or message. */
const about =
  (id: unknown) =>
  (line: Line): boolean =>
    [line["request_id"], line["id"], line["grant"]].includes(id);

const count = (client: SessionLineClient, type: string, id: unknown): number =>
  client.events.filter((line) => line.type === type && about(id)(line)).length;

test(
  "[SES-39] [SES-40] [SES-58] [SES-61] what waits is held and taken back over the socket, also after the death of CLI and host",
  { timeout: 180_000 },
  async () => {
    const stage = new KilledSession(script, "--approval-timeout-ms", "120000");
    const ann = await stage.client("ann");
    const bob = await stage.client("bob");
    const mark = stage.say(ann, "mark");
    const asked: Line = await ann.until("approval_request", { withinMs });
    const id = asked["request_id"];

    // More time.
    expect(await bob.ask({ type: "hold", request_id: "nothing", ms: 1000 })).toMatchObject({
      code: "unknown_request",
      request_id: "nothing",
    });
    for (const ms of [0, -1, 1.5, DAY_MS + 1, "1000", null]) {
      const wrong = await bob.ask({ type: "hold", request_id: id, ms });
      expect([ms, wrong["code"]]).toEqual([ms, "invalid_params"]);
    }
    expect(await bob.ask({ type: "hold", request_id: id, ms: 3_600_000 })).toMatchObject({
      type: "ok",
    });
    const held = await ann.until("request_held");
    expect(held).toMatchObject({ request_id: id, by: "bob" });
    expect(Number(held["remaining_ms"])).toBeGreaterThan(3_599_000);
    expect(Number(held["remaining_ms"])).toBeLessThanOrEqual(3_600_000);

    // One message of two that wait.
    const kept = stage.say(ann, "kept", { priority: "later" });
    const gone = stage.say(ann, "gone", { priority: "later" });
    await ann.until("user_message", { fits: about(gone) });
    expect(await bob.ask({ type: "drop", id: "nothing" })).toMatchObject({
      code: "unknown_request",
    });
    expect(await bob.ask({ type: "drop", id: gone })).toMatchObject({ outcome: "dropped" });
    expect(await ann.ask({ type: "drop", id: gone })).toMatchObject({ outcome: "dropped" });
    expect(await bob.ask({ type: "drop", id: mark })).toMatchObject({ outcome: "too_late" });
    const dropped = await ann.until("message_dropped", { fits: about(gone) });
    expect(dropped).toMatchObject({ reason: "dropped", by: "bob" });

    /** The request that is asked after this event, as `status` lists it. */
    const askedAfter = async (client: SessionLineClient, seq: unknown): Promise<Line> => {
      const fits = (line: Line): boolean => Number(line.seq) > Number(seq);
      const next: Line = await client.until("approval_request", { fits, withinMs });
      const { pending } = await client.ask({ type: "status" });
      expect(pending).toMatchObject([{ request_id: next["request_id"] }]);
      return (pending as Line[])[0]!;
    };

    // The CLI dies: the request is asked again, with the later deadline.
    await stage.killCli(ann);
    const second = await askedAfter(ann, asked.seq);
    expect(Number(second["remaining_ms"])).toBeGreaterThan(3_500_000);
    expect(await bob.ask({ type: "drop", id: gone })).toMatchObject({ outcome: "dropped" });

    // So does the host.
    await stage.killHost();
    const cleo = await stage.client("cleo");
    const third = await askedAfter(cleo, second.seq);
    expect(Number(third["remaining_ms"])).toBeGreaterThan(3_500_000);
    expect(await cleo.ask({ type: "drop", id: gone })).toMatchObject({ outcome: "dropped" });
    expect(count(cleo, "message_dropped", gone)).toBe(1);
    const open = third["request_id"];
    // Two answer at the same moment: one of them counts.
    const dora = await stage.client("dora");
    const answers = await Promise.all([
      cleo.ask({ type: "approve", request_id: open }),
      dora.ask({ type: "deny", request_id: open }),
    ]);
    const told = answers.map(({ type, code }) => code ?? type);
    expect(new Set(told)).toEqual(new Set(["already_resolved", "ok"]));
    expect(count(cleo, "approval_resolved", open)).toBe(1);
    for (const late of [
      { type: "approve", request_id: open },
      { type: "deny", request_id: open },
      { type: "hold", request_id: open, ms: 1000 },
    ]) {
      expect(await dora.ask(late)).toMatchObject({ code: "already_resolved", request_id: open });
    }
    await endOf(cleo, mark);
    await endOf(cleo, kept);
    expect(await cleo.ask({ type: "drop", id: kept })).toMatchObject({ outcome: "too_late" });
    expect(count(cleo, "message_seen", gone)).toBe(0);
    await stage.host.end("SIGTERM");
  },
);

test(
  "[SES-76] [SES-77] [SES-78] grants and running calls are taken back and stopped over the socket, also after the death of CLI and host",
  { timeout: 180_000 },
  async () => {
    const stage = new KilledSession(script, "--allowed-tools", "Bash(until *)");
    const ann = await stage.client("ann");
    const bob = await stage.client("bob");
    const allow = async (client: SessionLineClient, scope: string): Promise<unknown> => {
      const since = client.told.length;
      const message = stage.say(client, "mark");
      const { request_id: id } = await client.until("approval_request", { since, withinMs });
      client.send({ type: "approve", request_id: id, scope });
      await endOf(client, message);
      return id;
    };
    const id = await allow(ann, "session");
    expect(await bob.ask({ type: "status" })).toMatchObject({
      grants: [{ id, scope: "session", by: "ann", rule: expect.stringContaining("Bash(git init") }],
    });
    await stage.killCli(ann);
    await stage.killHost();
    const cleo = await stage.client("cleo");
    expect(cleo.told[0]).toMatchObject({ type: "init", grants: [{ id, by: "ann" }] });
    expect(await cleo.ask({ type: "revoke", grant: "nothing" })).toMatchObject({
      code: "unknown_request",
    });
    expect(await cleo.ask({ type: "revoke", grant: id })).toMatchObject({ type: "ok" });
    expect(await cleo.ask({ type: "revoke", grant: id })).toMatchObject({ type: "ok" });
    expect(await cleo.until("grant_revoked")).toMatchObject({ grant: id, by: "cleo" });
    expect(count(cleo, "grant_revoked", id)).toBe(1);
    expect(await cleo.ask({ type: "status" })).not.toHaveProperty("grants");
    // What it allowed is asked about again.
    expect(await allow(cleo, "once")).not.toBe(id);

    // A running call, and one that is over.
    const dora = await stage.client("dora");
    const since = cleo.told.length;
    const work = stage.say(cleo, "work");
    const call = await cleo.until("tool_use", { since, withinMs });
    const target = { type: "stop", request_id: call["request_id"] };
    expect(await dora.ask({ type: "stop", request_id: "nothing" })).toMatchObject({
      code: "unknown_request",
      request_id: "nothing",
    });
    expect(await dora.ask({ type: "stop", task_id: "nothing" })).toMatchObject({
      code: "unknown_request",
    });
    expect(await dora.ask({ ...target, task_id: "b1" })).toMatchObject({ code: "invalid_params" });
    expect(await dora.ask({ type: "stop" })).toMatchObject({ code: "invalid_params" });
    const stops = await Promise.all([cleo.ask(target), dora.ask(target)]);
    expect(stops.map(({ outcome }) => outcome)).toContain("stopped");
    for (const { outcome } of stops) expect(["stopped", "too_late"]).toContain(outcome);
    expect(await endOf(cleo, work)).toMatchObject({ stop_reason: "completed" });
    expect(await dora.ask(target)).toMatchObject({ outcome: "too_late" });
    await stage.killCli(cleo);
    expect(await dora.ask(target)).toMatchObject({ outcome: "too_late" });
    await stage.killHost();
    const emil = await stage.client("emil");
    expect(await emil.ask(target)).toMatchObject({ code: "unknown_request" });
    await stage.host.end("SIGTERM");
  },
);

/** Every command that acts, right in all its fields. */
const acting: Record<string, object> = {
  message: { text: "x", id: "observed" },
  approve: { request_id: "ID" },
  deny: { request_id: "ID", interrupt: true },
  answer: { request_id: "ID", answers: {} },
  respond: { request_id: "ID", action: "cancel" },
  drop: { id: "m1" },
  hold: { request_id: "ID", ms: 1000 },
  revoke: { grant: "ID" },
  stop: { request_id: "ID" },
  abort: { queue: "drop" },
  offer_tools: { namespace: "n", tools: [] },
  tool_progress: { call: "c1", progress: 1 },
  tool_return: { call: "c1", text: "x" },
  set_mode: { mode: "plan" },
  set_model: { model: "sonnet" },
  set_thinking: { effort: "low" },
  rename: { title: "Mine" },
  set_mcp_servers: { servers: {} },
  complete: { kind: "file", prefix: "" },
  shutdown: {},
};

test(
  "[SES-6] an observer's socket refuses every command that acts, and nothing happens",
  { timeout: 120_000 },
  async () => {
    const types = SessionCommandSchema.options.map(({ shape }) => shape.type.value);
    const reading = ["attach", "history", "search", "status", "get_blob", "ping"];
    expect([...Object.keys(acting), ...reading].toSorted()).toEqual(types.toSorted());
    const stage = new KilledSession(script);
    const ann = await stage.client("ann");
    stage.say(ann, "mark");
    const { request_id: id } = await ann.until("approval_request", { withinMs });
    const watcher = new SessionLineClient(stage.observe);
    await watcher.until("init");
    const before = await ann.ask({ type: "status" });
    for (const [type, fields] of Object.entries(acting)) {
      const command = JSON.parse(JSON.stringify({ type, ...fields }).replaceAll("ID", String(id)));
      expect([type, (await watcher.ask(command))["code"]]).toEqual([type, "read_only"]);
    }
    const after = await ann.ask({ type: "status" });
    const [one, other] = [before, after].map(
      ({ last_seq, pending, queued, mode, model, title }) => ({
        last_seq,
        queued,
        mode,
        model,
        title,
        open: (pending as Line[]).map(({ request_id }) => request_id),
      }),
    );
    expect(other).toEqual(one);
    expect(other?.open).toEqual([id]);
    ann.send({ type: "deny", request_id: id });
    // It reads all that the others read.
    expect(await watcher.until("approval_resolved")).toMatchObject({ request_id: id, by: "ann" });
    const { hits } = await watcher.ask({ type: "search", text: "git INIT" });
    expect((hits as Line[]).map(({ type }) => type)).toContain("tool_use");
    await stage.host.end("SIGTERM");
  },
);
