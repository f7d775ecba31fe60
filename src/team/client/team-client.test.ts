import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { errorOf } from "../../wire/errors.ts";
import type { Parsed } from "../../wire/json-payload.ts";
import type { TeamClientOptions } from "./team-client.ts";
import { TeamClient } from "./team-client.ts";
import type { TeamRequestLine } from "./team-protocol.ts";
import type { TeamItem } from "./team-reader.ts";

const policy = { tries: 100, firstDelayMs: 1, maxDelayMs: 2, factor: 1 };

/** A team's side of the control socket, without a team: a log of notices that grows, and connections that break. */
class FakeServer {
  logId = "l1";
  events: object[] = [];
  readonly asked: TeamRequestLine[] = [];
  /** What is answered to a method; undefined leaves it without an answer. */
  answer: (line: TeamRequestLine) => object | undefined = () => ({ result: {} });
  /** The name of its next client. */
  name = "client-1";
  #current: Wire | undefined;
  /** Sends each event twice. */
  stutters = false;
  /** Sends this many events and then breaks the connection, once. */
  breaksAfter = Number.POSITIVE_INFINITY;

  readonly connect = async (): Promise<Wire> => {
    const wire = new Wire((line) => this.#take(wire, line));
    this.#current = wire;
    wire.say({ type: "init", protocol: 1, log_id: this.logId, last_seq: this.events.length });
    return wire;
  };

  happen(draft: object = { type: "notice", level: "info", message: "m" }): void {
    const event = { ...draft, seq: this.events.length + 1, at: "t" };
    this.events.push(event);
    if (this.#current) this.#tell(this.#current, event);
  }

  drop(): void {
    this.#current?.end();
    this.#current = undefined;
  }

  #take(wire: Wire, line: TeamRequestLine): void {
    this.asked.push(line);
    const { id, method, params } = line;
    if (method !== "attach") {
      const answer = this.answer(line);
      if (answer) wire.say({ jsonrpc: "2.0", id, ...answer });
      return;
    }
    const { since, log_id = this.logId } = params as { since: number; log_id?: string };
    const reset = log_id !== this.logId || since > this.events.length;
    const last_seq = this.events.length;
    const from = reset ? 0 : since;
    const result = { log_id: this.logId, since: from, last_seq, reset, client: this.name };
    wire.say({ jsonrpc: "2.0", id, result });
    for (const event of this.events.slice(from)) this.#tell(wire, event);
  }

  #tell(wire: Wire, event: object): void {
    for (let n = 0; n < (this.stutters ? 2 : 1); n += 1) wire.say(event);
    this.breaksAfter -= 1;
    if (this.breaksAfter !== 0) return;
    this.breaksAfter = Number.POSITIVE_INFINITY;
    this.drop();
  }
}

/** One connection in memory. */
class Wire implements AsyncIterable<Parsed> {
  readonly #lines: Parsed[] = [];
  readonly #onLine: (line: TeamRequestLine) => void;
  #hasEnded = false;
  #wake = (): void => {};

  constructor(onLine: (line: TeamRequestLine) => void) {
    this.#onLine = onLine;
  }

  say(value: object): void {
    if (this.#hasEnded) return;
    this.#lines.push({ ok: true, value: JSON.parse(JSON.stringify(value)) });
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  async send(line: TeamRequestLine): Promise<void> {
    if (this.#hasEnded) throw errorOf("connection_lost", "gone");
    this.#onLine(line);
  }

  async close(): Promise<void> {
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Parsed> {
    for (;;) {
      const line = this.#lines.shift();
      if (line) yield line;
      else if (this.#hasEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

async function stage(options: TeamClientOptions = {}) {
  const server = new FakeServer();
  const client = await TeamClient.open(server.connect, { policy, ...options });
  onTestFinished(() => client.close());
  return { server, client };
}

const seqsOf = (items: readonly TeamItem[]): number[] =>
  items.flatMap((item) => ("seq" in item ? [item.seq] : []));

test("TeamClient.follow yields every event once and in order, over lost connections", async () => {
  const { server, client } = await stage();
  const items: TeamItem[] = [];
  for (let n = 0; n < 5; n += 1) server.happen();
  expect(await client.follow({ since: 2, logId: "l1" }, (item) => items.push(item))).toEqual({
    reset: false,
  });
  server.happen();
  server.drop();
  server.happen();
  await expect.poll(() => seqsOf(items)).toEqual([3, 4, 5, 6, 7]);
});

test("TeamClient.follow reports a reset and begins again when the timeline is another one", async () => {
  const { server, client } = await stage();
  const items: TeamItem[] = [];
  server.happen();
  await client.follow({ since: 0 }, (item) => items.push(item));
  server.logId = "l2";
  server.drop();
  await expect.poll(() => items.length).toBe(3);
  expect(items).toMatchObject([{ seq: 1 }, { type: "reset", logId: "l2" }, { seq: 1 }]);
});

test("TeamClient repeats a request on the next connection, except one that must not be carried out twice", async () => {
  const { server, client } = await stage();
  server.answer = () => undefined;
  const status = client.request("status", {});
  const restart = client.request("restart", { agent: "coder" });
  const resend = client.request("resend", { id: crypto.randomUUID() });
  await expect.poll(() => server.asked.length).toBe(4);
  server.answer = ({ method }) => ({ result: { method } });
  server.drop();
  await expect(resend).rejects.toMatchObject({ code: "connection_lost" });
  expect(await status).toEqual({ method: "status" });
  expect(await restart).toEqual({ method: "restart" });
  expect(server.asked.filter(({ method }) => method === "resend")).toHaveLength(1);
});

const resolved = (by: string) => ({
  type: "approval_resolved",
  agent: "coder",
  request_id: "toolu_1",
  outcome: "allowed",
  by,
});
const sentTo = (server: FakeServer, name: string): number =>
  server.asked.filter(({ method }) => method === name).length;

test("[TEAM-13] TeamClient keeps a decision until an event shows that it was carried out", async () => {
  const { server, client } = await stage();
  server.answer = () => undefined;
  const approving = client.request("approve", { request_id: "toolu_1" });
  await expect.poll(() => sentTo(server, "approve")).toBe(1);
  // The team has carried it out, and its answer was lost.
  server.drop();
  server.happen(resolved("client-1"));
  expect(await approving).toEqual({ agent: "coder" });
  expect(sentTo(server, "approve")).toBe(1);
});

test("[TEAM-13] TeamClient sends a decision again that the lost process of the team did not carry out", async () => {
  const { server, client } = await stage();
  server.answer = () => undefined;
  const denying = client.request("deny", { request_id: "toolu_1" });
  await expect.poll(() => sentTo(server, "deny")).toBe(1);
  server.answer = () => ({ result: { agent: "coder" } });
  server.drop();
  expect(await denying).toEqual({ agent: "coder" });
  expect(sentTo(server, "deny")).toBe(2);
});

test("[TEAM-13] TeamClient says who was faster when another client decided while the connection was lost", async () => {
  const { server, client } = await stage({ name: "anna" });
  server.answer = ({ method }) => (method === "hello" ? { result: {} } : undefined);
  const answering = client.request("answer", { request_id: "toolu_1", answers: {} });
  await expect.poll(() => sentTo(server, "answer")).toBe(1);
  server.drop();
  server.happen(resolved("bob"));
  await expect(answering).rejects.toMatchObject({
    code: "already_resolved",
    data: { by: "bob", outcome: "allowed" },
  });
});

test("[TEAM-13] TeamClient keeps the cancellation of a task until the task is canceled", async () => {
  const { server, client } = await stage();
  server.answer = () => undefined;
  const id = crypto.randomUUID();
  const canceling = client.request("cancel", { task: id });
  await expect.poll(() => sentTo(server, "cancel")).toBe(1);
  server.drop();
  server.happen({ type: "task_changed", task: { id, state: "working" } });
  server.happen({ type: "task_changed", task: { id, state: "canceled" } });
  expect(await canceling).toEqual({ canceled: true });
});

test("TeamClient.send repeats a message under the same id", async () => {
  const { server, client } = await stage();
  server.answer = () => undefined;
  const sending = client.request("send", { text: "hello" });
  await expect.poll(() => server.asked.length).toBe(2);
  server.answer = ({ params }) => ({ result: params });
  server.drop();
  const { id } = await sending;
  expect(id).toMatch(/^[\da-f-]{36}$/);
  const sent = server.asked.filter(({ method }) => method === "send");
  expect(sent.map(({ params }) => (params as { id: string }).id)).toEqual([id, id]);
});

test("TeamClient gives its name on each connection, and fails if the team refuses the name", async () => {
  const { server } = await stage({ name: "anna" });
  server.drop();
  await expect
    .poll(() => server.asked.map(({ method }) => method))
    .toEqual(["hello", "attach", "hello", "attach"]);
  const strict = new FakeServer();
  const error = { code: -32602, message: "taken", data: { code: "invalid_params", hint: "h" } };
  strict.answer = () => ({ error });
  await expect(TeamClient.open(strict.connect, { name: "user" })).rejects.toMatchObject({
    code: "invalid_params",
    hint: "h",
  });
});

test("TeamClient without retries fails its requests and followers when the connection is lost", async () => {
  const { server, client } = await stage({ policy: { ...policy, tries: 0 } });
  server.answer = () => undefined;
  const status = client.request("status", {});
  await expect.poll(() => server.asked.length).toBe(2);
  server.drop();
  await expect(status).rejects.toMatchObject({ code: "connection_lost" });
  expect(await client.closed).toMatchObject({ code: "connection_lost" });
  await expect(client.follow({ since: 0 }, () => {})).rejects.toMatchObject({
    code: "connection_lost",
  });
});

test("TeamClient.follow yields each event once and in order, wherever connections break", async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ happens: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ breaksAfter: fc.integer({ min: 1, max: 8 }) }),
      fc.constant("drop" as const),
      fc.constant("wait" as const),
    ),
    { maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(3), fc.boolean(), async (history, since, stutters) => {
      const server = new FakeServer();
      server.stutters = stutters;
      for (let n = 0; n < 3; n += 1) server.happen();
      await using client = await TeamClient.open(server.connect, { policy });
      const items: TeamItem[] = [];
      await client.follow({ since }, (item) => items.push(item));
      for (const step of history) {
        if (step === "drop") server.drop();
        else if (step === "wait") await new Promise((resolve) => setImmediate(resolve));
        else if ("breaksAfter" in step) server.breaksAfter = step.breaksAfter;
        else for (let n = 0; n < step.happens; n += 1) server.happen();
      }
      server.breaksAfter = Number.POSITIVE_INFINITY;
      const expected = server.events.slice(since).map((_, index) => since + index + 1);
      await expect.poll(() => seqsOf(items).length, { interval: 2 }).toBe(expected.length);
      expect(seqsOf(items)).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});
