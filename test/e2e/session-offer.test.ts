import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ClientTool } from "../../src/client/index.ts";
import { connectSession } from "../../src/client/index.ts";
import type { AgentSocket, Home } from "../support/agent-socket-process.ts";
import { newHome, startSession, writeScript } from "../support/agent-socket-process.ts";
import { breakableWay } from "../support/breakable-way.ts";
import type { Line } from "../support/session-line-client.ts";
import { SessionLineClient } from "../support/session-line-client.ts";
import { cliPidOf } from "../support/stage-processes.ts";
import { tempDir } from "../support/temp-dir.ts";

const examples = resolve(import.meta.dirname, "../../examples");
const compiler = "go";
/** A first build compiles a part of the standard library. */
const GO_BUILD_MS = 300_000;

/** The model calls what it is told to call, and repeats what the tool has said. */
const script = `
name: offered
rules:
  - when: { user: '/^call (?<tool>[\\w-]+) (?<input>.*)$/' }
    tools: [{ name: '\${tool}', input: { text: '\${input}', zone: '\${input}' } }]
  - when: { user: '/^bad (?<tool>[\\w-]+)$/' }
    tools: [{ name: '\${tool}', input: { other: 1 } }]
  - when: { tool_result: { name: '/./', text: '/.*/s' } }
    text: 'The tool said: \${tool_result}'
default: { text: Hello. }
`;

const start = (home: Home, ...args: string[]): AgentSocket =>
  startSession(
    home,
    writeScript(home, script),
    "--allowed-tools",
    "mcp__notes,mcp__clock",
    ...args,
  );

/** A client that watches the session and talks to the model. */
class Talk {
  #count = 0;
  readonly client: SessionLineClient;

  constructor(client: SessionLineClient) {
    this.client = client;
  }

  /** Sends a message; the id of it. */
  say(text: string): string {
    this.#count += 1;
    const id = `m${this.#count}-${process.hrtime.bigint()}`;
    this.client.send({ type: "message", text, id });
    return id;
  }

  /** What the model says at the end of the turn of a message. */
  async answerTo(id: string): Promise<string> {
    const names = ({ messages }: { messages?: unknown }): boolean =>
      (messages as string[]).includes(id);
    const done = await this.client.until("done", { fits: names });
    const said = this.client.events.filter(
      ({ type, turn_id }) => type === "text_delta" && turn_id === done["turn_id"],
    );
    return said.map(({ text }) => text).join("");
  }

  ask(text: string): Promise<string> {
    return this.answerTo(this.say(text));
  }
}

async function offered(client: SessionLineClient, namespace: string, times = 1): Promise<void> {
  await expect
    .poll(
      () =>
        client.events.filter(
          (each) => each.type === "tools_offered" && each["namespace"] === namespace,
        ).length,
    )
    .toBe(times);
}

/** A program of the examples, until the test has ended. */
function run(command: string, ...args: string[]): Program {
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const program: Program = { child, said: "" };
  child.stderr.on("data", (text: Buffer) => (program.said += String(text)));
  return program;
}

interface Program {
  readonly child: ChildProcess;
  /** On stderr. */
  said: string;
}

async function kill({ child }: Program): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** The command fails with this error. */
async function refused(client: SessionLineClient, command: object, code: string): Promise<void> {
  const ref = `r-${code}-${process.hrtime.bigint()}`;
  client.send({ ...command, ref });
  const answer = await client.until("error", { fits: (line) => line["ref"] === ref });
  expect(answer).toMatchObject({ code, hint: expect.stringMatching(/./) });
}

/** The command gets its `ok`. */
async function accepted(client: SessionLineClient, command: object): Promise<void> {
  const ref = `a-${process.hrtime.bigint()}`;
  client.send({ ...command, ref });
  const isIt = (line: { ref?: unknown }): boolean => line.ref === ref;
  await Promise.race([
    client.until("ok", { fits: isIt }),
    client.until("error", { fits: isIt }).then((line) => {
      throw new Error(JSON.stringify(line));
    }),
  ]);
}

/** Whether a call was made with these words. */
const says =
  (words: string) =>
  ({ input }: Line): boolean =>
    (input as { text?: string }).text === words;

test(
  "[SES-84] [SES-85] [SES-87] [SES-88] a tool in Go is called; killed in the middle of a call it comes back: nothing is lost silently, and only what is idempotent runs again",
  { timeout: GO_BUILD_MS },
  async () => {
    const program = join(tempDir(), "notes");
    execFileSync(compiler, ["build", "-o", program, "."], {
      cwd: join(examples, "tools-go"),
      env: { ...process.env, GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod" },
    });
    const home = newHome();
    const host = start(home);
    const { socket } = await host.ready;
    const talk = new Talk(await host.connect());
    const notes = join(home.root, "notes.txt");
    const python = run("python3", join(examples, "tools-python/clock.py"), socket);
    let go = run(program, socket, notes);
    await offered(talk.client, "notes");
    await offered(talk.client, "clock");
    expect(await talk.ask("call mcp__notes__take_note milk")).toBe("The tool said: Taken.");
    expect(await talk.ask("call mcp__clock__time_at Europe/Paris")).toMatch(/said: \d\d:\d\d$/);
    expect(await talk.ask("call mcp__clock__time_at Nowhere")).toContain("There is no such place");
    // The host checks the input: the program is not called.
    expect(await talk.ask("bad mcp__notes__take_note")).toMatch(/arguments do not fit.*text/);
    expect(readFileSync(notes, "utf8")).toBe("milk\n");
    await kill(python);

    // Killed after the note was taken and before the result was returned: the note is taken once, and the model hears it.
    await kill(go);
    go = run(program, socket, notes, "60s");
    await offered(talk.client, "notes", 2);
    const taking = talk.say("call mcp__notes__take_note bread");
    await expect.poll(() => readFileSync(notes, "utf8")).toBe("milk\nbread\n");
    await kill(go);
    go = run(program, socket, notes);
    expect(await talk.answerTo(taking)).toMatch(
      /went away in the middle of the call: its outcome is unknown/,
    );
    expect(readFileSync(notes, "utf8")).toBe("milk\nbread\n");

    // Reading is idempotent: the next one is sent the call again, and answers it.
    await kill(go);
    go = run(program, socket, notes, "60s");
    await offered(talk.client, "notes", 4);
    const reading = talk.say("call mcp__notes__read_notes x");
    await expect.poll(() => go.said).toContain("called: read_notes");
    await kill(go);
    go = run(program, socket, notes);
    expect(await talk.answerTo(reading)).toBe("The tool said: milk\nbread\n");

    // A call that comes while the program is away waits for it, whether it is idempotent or not.
    await kill(go);
    const waiting = talk.say("call mcp__notes__take_note eggs");
    await talk.client.until("tool_use", { fits: says("eggs") });
    go = run(program, socket, notes);
    expect(await talk.answerTo(waiting)).toBe("The tool said: Taken.");

    // After a crash of the CLI the next one has the tools.
    process.kill(cliPidOf({ configDir: home.root }), "SIGKILL");
    await talk.client.until("notice", { fits: ({ code }) => code === "cli_restarted" });
    expect(await talk.ask("call mcp__notes__read_notes y")).toMatch(/milk\nbread\neggs\n$/);
    await host.end("SIGTERM");
  },
);

test("[SES-60] [SES-84] [SES-85] [SES-86] [SES-88] [SES-89] what a client may not do with tools gets a typed error, and an owner that stays away loses them", async () => {
  const home = newHome();
  const observe = join(home.root, "observe.sock");
  const config = join(home.root, "mcp.json");
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: { "taken by": { command: "false", args: [] } } }),
  );
  const policy = join(home.root, "policy.json");
  writeFileSync(
    policy,
    JSON.stringify([{ tool: "mcp__slow__forbidden", action: "deny", reason: "Never that one." }]),
  );
  const files = ["--mcp-config", config, "--policy", policy];
  const host = start(home, "--observe-socket", observe, ...files);
  await host.ready;
  const talk = new Talk(await host.connect());
  const owner = await host.connect();
  const schema = { type: "object", properties: {} };
  const tool = { name: "wait", description: "Waits.", input_schema: schema };
  const forbidden = { ...tool, name: "forbidden" };
  const offer = { type: "offer_tools", namespace: "slow", tools: [tool, forbidden], away_ms: 300 };
  const observer = new SessionLineClient(observe);
  await observer.until("init");
  await refused(observer, offer, "read_only");
  await refused(owner, { ...offer, namespace: "taken_by" }, "name_in_use");
  await refused(owner, { ...offer, namespace: "a__b" }, "tool_invalid");
  await refused(owner, { ...offer, tools: [tool, tool] }, "tool_invalid");
  const broken = { type: "object", properties: 1 };
  await refused(owner, { ...offer, tools: [{ ...tool, input_schema: broken }] }, "tool_invalid");
  await refused(owner, { ...offer, tools: [{ ...tool, timeout_ms: 0 }] }, "invalid_params");
  const large = { ...tool, description: "x".repeat(1_100_000) };
  await refused(owner, { ...offer, tools: [large] }, "message_too_large");
  owner.send({ type: "attach", since: 0, client: "worker" });
  await owner.until("attached");
  await accepted(owner, offer);
  expect(await owner.until("tools_offered")).toMatchObject({
    client: "worker",
    tools: ["wait", "forbidden"],
  });
  talk.client.send({ type: "status", ref: "s" });
  expect(await talk.client.until("status", { fits: ({ ref }) => ref === "s" })).toMatchObject({
    offered_tools: [{ client: "worker", namespace: "slow", tools: ["wait", "forbidden"] }],
  });
  await refused(talk.client, offer, "name_in_use");
  const set = { type: "set_mcp_servers", servers: { slow: { command: "false", args: [] } } };
  await refused(talk.client, set, "name_in_use");
  await refused(owner, { type: "tool_return", call: "c9-9", text: "x" }, "unknown_request");

  // The policy sees the names.
  expect(await talk.ask("call mcp__slow__forbidden x")).toContain("Never that one.");

  // The end of the turn is told to the owner; a result after it is late, and another client's is not its own.
  const aborted = talk.say("call mcp__slow__wait x");
  // It is asked about like any tool of an MCP server.
  const asked = await talk.client.until("approval_request", {
    fits: ({ tool: name }) => name === "mcp__slow__wait",
  });
  talk.client.send({ type: "approve", request_id: asked["request_id"], scope: "session" });
  const call = await owner.until("tool_call");
  expect(call).toMatchObject({ namespace: "slow", tool: "wait", input: { text: "x", zone: "x" } });
  expect(call["request_id"]).toMatch(/^toolu_/);
  expect(call["remaining_ms"]).toBeGreaterThan(299_000);
  expect(call["remaining_ms"]).toBeLessThanOrEqual(300_000);
  await refused(
    talk.client,
    { type: "tool_return", call: call["call"], text: "x" },
    "unknown_request",
  );
  owner.send({ type: "tool_progress", call: call["call"], progress: 1, total: 2 });
  expect(await talk.client.until("tool_progress")).toMatchObject({
    request_id: call["request_id"],
    progress: 1,
    total: 2,
  });
  talk.client.send({ type: "abort" });
  expect(await owner.until("tool_cancel")).toMatchObject({ call: call["call"], reason: "aborted" });
  await talk.answerTo(aborted);
  await refused(owner, { type: "tool_return", call: call["call"], text: "x" }, "already_resolved");

  // Its time ends a call that the owner does not return.
  await accepted(owner, { ...offer, tools: [{ ...tool, timeout_ms: 200 }] });
  expect(await talk.ask("call mcp__slow__wait y")).toMatch(/did not finish within 0.2 s/);
  expect(
    await owner.until("tool_cancel", { fits: ({ reason }) => reason === "timed_out" }),
  ).toBeDefined();

  // So does the death of Claude Code. The next one has the tools, and the call is not sent again by itself.
  await accepted(owner, offer);
  const cut = talk.say("call mcp__slow__wait cut");
  const { call: lostCall } = await owner.until("tool_call", { fits: says("cut") });
  process.kill(cliPidOf({ configDir: home.root }), "SIGKILL");
  await owner.until("tool_cancel", { fits: ({ call: id }) => id === lostCall });
  await talk.answerTo(cut);
  expect(owner.told.filter((line) => line.type === "tool_call" && says("cut")(line))).toHaveLength(
    1,
  );

  // Withdrawn in the middle of a call: both sides hear it.
  const withdrawn = talk.say("call mcp__slow__wait w");
  const { call: openCall } = await owner.until("tool_call", { fits: says("w") });
  await accepted(owner, { ...offer, tools: [] });
  expect(await owner.until("tool_cancel", { fits: ({ call: id }) => id === openCall })).toEqual({
    type: "tool_cancel",
    call: openCall,
    reason: "withdrawn",
  });
  expect(await talk.answerTo(withdrawn)).toMatch(/withdrawn .*outcome is unknown/);

  // Away for longer than away_ms: the model hears it, and the tools are gone.
  await accepted(owner, { ...offer, tools: [{ ...tool, idempotent: true }] });
  const lost = talk.say("call mcp__slow__wait z");
  await owner.until("tool_call", {
    fits: says("z"),
  });
  owner.socket.destroy();
  expect(await talk.answerTo(lost)).toMatch(/outcome is unknown/);
  expect(
    await talk.client.until("tools_withdrawn", { fits: ({ reason }) => reason === "away" }),
  ).toMatchObject({ client: "worker", namespace: "slow" });
  expect(await talk.ask("call mcp__slow__wait again")).toMatch(/No such tool|not available/i);
  // Now the namespace is free; an empty list withdraws.
  await accepted(talk.client, offer);
  await accepted(talk.client, { ...offer, tools: [] });
  await talk.client.until("tools_withdrawn", { fits: ({ reason }) => reason === "withdrawn" });
  await host.end("SIGTERM");
});

test("[SES-87] [SES-90] SessionClient.offerTools survives a lost connection in the middle of a call, and a crash of the host", async () => {
  const home = newHome();
  const socket = join(home.root, "my.sock");
  const first = start(home, "--socket", socket, "--allowed-tools", "mcp__sums");
  const { session_id } = await first.ready;
  const way = await breakableWay(socket);
  await using client = await connectSession(way.path, { name: "program" });
  const reading = (async () => {
    for await (const _ of client.events());
  })();
  const gates = new Map([
    ["held", Promise.withResolvers<void>()],
    ["early", Promise.withResolvers<void>()],
  ]);
  const runs: string[] = [];
  const tools: ClientTool[] = [
    {
      name: "add",
      description: "Adds.",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
      outputSchema: { type: "object", properties: { sum: { type: "number" } } },
      async handler({ text }, { progress, signal }) {
        runs.push(text as string);
        progress({ progress: 1 });
        await gates.get(text as string)?.promise;
        if (text === "fail") throw new Error("It cannot be added.");
        signal.throwIfAborted();
        return { structured: { sum: 3 } };
      },
    },
  ];
  await client.offerTools("sums", tools);
  const talk = new Talk(await first.connect());
  expect(await talk.ask("call mcp__sums__add 1")).toBe('The tool said: {"sum":3}');
  expect(await talk.ask("call mcp__sums__add fail")).toContain("It cannot be added.");

  // The program lives and only its connection is lost: it goes on with the call, which is not sent again.
  const held = talk.say("call mcp__sums__add held");
  await expect.poll(() => runs).toEqual(["1", "fail", "held"]);
  way.breakAll();
  await offered(talk.client, "sums");
  gates.get("held")?.resolve();
  expect(await talk.answerTo(held)).toBe('The tool said: {"sum":3}');
  expect(runs).toEqual(["1", "fail", "held"]);

  // A result that is ready before the connection is back waits for it.
  const early = talk.say("call mcp__sums__add early");
  await expect.poll(() => runs).toEqual(["1", "fail", "held", "early"]);
  way.breakAll();
  gates.get("early")?.resolve();
  expect(await talk.answerTo(early)).toBe('The tool said: {"sum":3}');
  expect(runs).toEqual(["1", "fail", "held", "early"]);

  // The next host knows no offer until the client has made it again.
  await first.end("SIGKILL");
  const again = ["--resume", session_id, "--allowed-tools", "mcp__sums"];
  const second = start(home, "--socket", socket, ...again);
  await second.ready;
  const later = new Talk(await second.connect());
  later.client.send({ type: "attach", since: 0 });
  await later.client.until("tools_withdrawn", {
    fits: ({ reason }) => reason === "host_restarted",
  });
  await offered(later.client, "sums", 4);
  expect(await later.ask("call mcp__sums__add 2")).toBe('The tool said: {"sum":3}');
  await client.offerTools("sums", []);
  await second.end("SIGTERM");
  await client.close();
  await reading;
});
