import { expect, onTestFinished, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import { eventsOf, hear, textOf } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { Engine } from "../../engine/engine.ts";
import { openLog } from "../log/open-log.ts";
import { McpWatch } from "./watch-mcp-servers.ts";
import { Recorder } from "./event-recorder.ts";

interface Server {
  name: string;
  status: string;
  tools: string[];
  error?: string;
}

/** A CLI whose servers come up as the test says: one list for each time it is asked, the last for ever. */
class FakeEngine {
  open = true;
  asked = 0;
  readonly #lists: Server[][];

  constructor(...lists: Server[][]) {
    this.#lists = lists;
  }

  async mcpServers(): Promise<Server[]> {
    const list = this.#lists[Math.min(this.asked, this.#lists.length - 1)];
    this.asked += 1;
    return list ?? [];
  }
}

const server = (name: string, status: string, more: Partial<Server> = {}): Server => ({
  name,
  status,
  tools: [],
  ...more,
});

/** Everything that waits for an answer has it. */
const soon = () => new Promise<void>((resolve) => void setImmediate(resolve));

function stage(
  toolsOf?: (server: string) => string[],
  programOf?: (server: string) => string | undefined,
) {
  const log = openLog(memoryDir());
  onTestFinished(() => log.close());
  const heard = hear(log);
  const timers = new HandTimers();
  const watch = new McpWatch(new Recorder(log), timers, toolsOf, programOf);
  const look = (engine: FakeEngine) => watch.look(engine as unknown as Engine);
  const told = async () => {
    await log.durable();
    return eventsOf(textOf(heard));
  };
  return { timers, look, told };
}

test("starting servers are polled until all are up, and each change is recorded once", async () => {
  const { timers, look, told } = stage();
  const pending = [server("a", "pending"), server("b", "a word of tomorrow")];
  const half = [server("a", "connected", { tools: ["x"] }), server("b", "pending")];
  const whole = [server("a", "connected", { tools: ["x"] }), server("b", "needs-auth")];
  const engine = new FakeEngine(pending, pending, half, whole);
  const looked = look(engine);
  for (let times = 0; times < 3; times += 1) {
    await soon();
    timers.pass(100);
  }
  await looked;
  expect(engine.asked).toBe(4);
  expect(timers.waiting).toBe(0);
  expect(await told()).toMatchObject([
    {
      type: "mcp_status",
      servers: [
        { name: "a", status: "pending" },
        { name: "b", status: "pending" },
      ],
    },
    {
      servers: [
        { name: "a", status: "connected", tools: ["x"] },
        { name: "b", status: "pending" },
      ],
    },
    {
      servers: [
        { name: "a", status: "connected" },
        { name: "b", status: "needs_auth" },
      ],
    },
  ]);
});

test("a server that fails is named with its error and its tools, and again only after it had recovered", async () => {
  const { look, told } = stage((name) => (name === "bridge" ? ["query", "save"] : []));
  const failed = [server("broken", "failed", { error: "spawn ENOENT" })];
  await look(new FakeEngine(failed));
  await look(new FakeEngine([...failed, server("other", "connected", { tools: ["y"] })]));
  await look(new FakeEngine([server("broken", "connected", { tools: ["x"] })]));
  await look(new FakeEngine([...failed, server("bridge", "failed")]));
  const events = await told();
  const type = "BridgeStartupError";
  expect(events.filter((event) => event.type === "notice")).toMatchObject([
    {
      code: "mcp_server_failed",
      message: expect.stringMatching(/broken.*spawn ENOENT.*mcp__broken__…/),
      data: { server: "broken", type },
    },
    {
      message: expect.stringContaining("mcp__broken__x)"),
      data: { server: "broken", type, tools: ["x"] },
    },
    {
      message: expect.stringContaining("(mcp__bridge__query, mcp__bridge__save)"),
      data: { server: "bridge", type, tools: ["query", "save"] },
    },
  ]);
  expect(events.findLast((event) => event.type === "mcp_status")?.servers).toEqual([
    { name: "broken", status: "failed", error: "spawn ENOENT", error_type: type, tools: ["x"] },
    { name: "bridge", status: "failed", error_type: type, tools: ["query", "save"] },
  ]);
});

test("a CLI is asked by one look at a time, and not after it is gone", async () => {
  const { timers, look, told } = stage();
  const engine = new FakeEngine([server("slow", "pending")]);
  const first = look(engine);
  await look(engine);
  expect(engine.asked).toBe(1);
  // Its successor is not kept waiting.
  await look(new FakeEngine([server("slow", "connected", { tools: ["x"] })]));
  engine.open = false;
  await soon();
  timers.pass(100);
  await first;
  expect(engine.asked).toBe(1);
  expect((await told()).at(-1)).toMatchObject({ servers: [{ status: "connected" }] });
});

test("a connected server without tools is polled again, but not for ever", async () => {
  const { timers, look, told } = stage();
  const engine = new FakeEngine(
    [server("late", "connected")],
    [server("late", "connected")],
    [server("late", "connected", { tools: ["x"] })],
  );
  const looked = look(engine);
  for (const waitMs of [100, 200]) {
    await soon();
    timers.pass(waitMs);
  }
  await looked;
  expect(await told()).toMatchObject([
    { servers: [{ name: "late", status: "connected" }] },
    { servers: [{ name: "late", status: "connected", tools: ["x"] }] },
  ]);

  const bare = new FakeEngine([server("bare", "connected")]);
  const over = look(bare);
  await soon();
  let passedMs = 0;
  for (; timers.waiting > 0 && passedMs < 60_000; passedMs += 500) {
    timers.pass(500);
    await soon();
  }
  await over;
  // As long as an agent may take to start, and seldom.
  expect(passedMs).toBeGreaterThan(29_000);
  expect(bare.asked).toBeLessThan(70);
});

test("a restarting server keeps the names of its tools", async () => {
  const { timers, look, told } = stage();
  await look(new FakeEngine([server("a", "connected", { tools: ["x"] })]));
  const looked = look(new FakeEngine([server("a", "pending")], [server("a", "failed")]));
  await soon();
  timers.pass(100);
  await looked;
  expect((await told()).filter((event) => event.type === "mcp_status")).toMatchObject([
    { servers: [{ status: "connected" }] },
    { servers: [{ status: "pending", tools: ["x"] }] },
    { servers: [{ status: "failed", tools: ["x"] }] },
  ]);
});

test("a program that is not there is named as it was configured, not by Claude Code's word for its transport", async () => {
  const error = 'Executable not found in $PATH: "stdio"';
  const { look, told } = stage(
    () => [],
    (name) => (name === "weather" ? "no-such-program" : undefined),
  );
  await look(
    new FakeEngine([
      server("weather", "failed", { error }),
      server("unknown", "failed", { error }),
      server("remote", "failed", { error: "connect ECONNREFUSED" }),
    ]),
  );
  const messages = (await told()).flatMap((event) =>
    event.type === "notice" ? [event["message"]] : [],
  );
  expect(messages).toEqual([
    expect.stringContaining(
      'The MCP server weather did not start: Executable not found in $PATH: "no-such-program".',
    ),
    expect.stringContaining(error),
    expect.stringContaining("connect ECONNREFUSED"),
  ]);
});
