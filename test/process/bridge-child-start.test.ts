import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createToolHost, defineTool } from "../../src/bridge/index.ts";
import { tempDir } from "../support/temp-dir.ts";
import {
  bridgeFile,
  BridgeProcess,
  residentBytes,
  textOf,
  writeSchema,
} from "./fixtures/bridge-process.ts";
import { HostProcess } from "./fixtures/bridge-host-process.ts";

const modes = [
  { mode: "contract mode", more: [] },
  { mode: "own mode", more: ["own"] },
];

/** No host anywhere near. */
function alone(...more: string[]) {
  const directory = tempDir();
  const socket = join(directory, "none.sock");
  const schema = writeSchema(directory, [{ name: "add", description: "Adds." }]);
  return { socket, schema, directory, bridge: new BridgeProcess(socket, schema, ...more) };
}

describe("the config that a host gives", () => {
  it("keeps the caller's Node settings in the environment out of the bridge", async () => {
    const tool = defineTool({
      name: "t",
      description: "d",
      input: z.object({}),
      handler: () => "",
    });
    await using host = await createToolHost({ name: "h", tools: [tool] }).start();
    const { command, args, env } = host.mcpServerConfig();
    const coverage = join(tempDir(), "coverage");
    const noise = join(tempDir(), "noise.cjs");
    writeFileSync(noise, "console.log('noise')");
    const hostile = {
      NODE_OPTIONS: `--require ${noise}`,
      NODE_V8_COVERAGE: coverage,
      NODE_DEBUG: "net,stream",
    };
    const child = spawn(command, args, { env: { ...process.env, ...hostile, ...env } });
    const [out, told] = [readAll(child.stdout), readAll(child.stderr)];
    child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect([await out, await told]).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}\n', ""]);
    expect(existsSync(coverage)).toBe(false);
  });
});

describe("the bridge does not start", () => {
  const socket = "never.sock";

  it.each([
    ["without arguments", () => []],
    ["with one argument", () => [socket]],
    ["with a third that is not own", () => [socket, writeSchema(tempDir(), []), "other"]],
    ["with a fourth", () => [socket, writeSchema(tempDir(), []), "own", "more"]],
    ["without a schema file", () => [socket, join(tempDir(), "none.json")]],
    ["with a schema file that is no JSON", () => [socket, writeSchema(tempDir(), "[{")]],
    ["with a schema file that is no list", () => [socket, writeSchema(tempDir(), "{}")]],
    ["with a tool without a name", () => [socket, writeSchema(tempDir(), "[{}]")]],
  ])("[IPC-7] [IPC-8] %s, and says why in one line", async (_, args) => {
    const bridge = new BridgeProcess(...args());
    expect(await bridge.ended).toEqual({ code: 69, signal: null });
    expect(bridge.stderr).toMatch(/^BridgeStartupError: .+\.\n$/);
    expect(bridge.told).toEqual([]);
  });
});

describe.each(modes)("the bridge without a host, in $mode", ({ more }) => {
  it("[IPC-11] [IPC-12] introduces itself, answers ping, and lists the tools", async () => {
    const { bridge } = alone(...more);
    const listChanged = more.length > 0;
    expect((await bridge.initialize()).result).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: { tools: { listChanged } },
      serverInfo: { name: "agent-switchboard bridge", version: "1" },
    });
    bridge.send({ method: "notifications/initialized" });
    expect((await bridge.request("ping")).result).toEqual({});
    const listed = await bridge.request("tools/list");
    const add = { name: "add", description: "Adds.", inputSchema: { type: "object" } };
    expect(listed.result).toEqual({ tools: [add] });
  });

  it.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["2031-01-01", "2025-11-25"],
  ])("[IPC-12] answers a client of %s with %s", async (asked, answered) => {
    const { bridge } = alone(...more);
    expect((await bridge.initialize(asked)).result?.["protocolVersion"]).toBe(answered);
  });

  it("[IPC-40] answers each call with the error that there is no host, and a hint", async () => {
    const { bridge, socket } = alone(...more);
    await bridge.initialize();
    for (const _ of [1, 2]) {
      const text = textOf(await bridge.call("add"));
      expect(text).toMatch(/^error: IPCConnectionError: Could not connect to the tool host at /);
      expect(text).toContain(`${socket}: connect ENOENT`);
      expect(text).toContain("Start the program that offers the tools, then call again.");
    }
    expect((await bridge.request("ping")).result).toEqual({});
  });

  it("[IPC-40] says so also of a path that no socket can have", async () => {
    const directory = tempDir();
    const schema = writeSchema(directory, []);
    const bridge = new BridgeProcess(join(directory, "x".repeat(200)), schema, ...more);
    expect(textOf(await bridge.call("add"))).toMatch(
      /^error: IPCConnectionError: Could not connect/,
    );
    expect((await bridge.request("ping")).result).toEqual({});
  });

  it("[IPC-28] [IPC-36] says nothing of a call that is cancelled at once", async () => {
    const { bridge } = alone(...more);
    const call = { jsonrpc: "2.0", id: "gone", method: "tools/call", params: { name: "add" } };
    const cancel = { method: "notifications/cancelled", params: { requestId: "gone" } };
    bridge.send(`${JSON.stringify(call)}\n${JSON.stringify({ jsonrpc: "2.0", ...cancel })}`);
    await bridge.call("add");
    expect(bridge.told.map(({ id }) => id)).toEqual([1]);
  });

  it("[IPC-13] refuses every other request at once", async () => {
    const { bridge } = alone(...more);
    for (const method of [
      "server/discover",
      "resources/list",
      "prompts/list",
      "logging/setLevel",
      "",
    ]) {
      const { error } = await bridge.request(method);
      expect(error).toMatchObject({ code: -32601, data: { code: "method_not_found" } });
    }
  });

  it("[IPC-14] takes notifications and responses that it does not know", async () => {
    const { bridge } = alone(...more);
    bridge.send({ method: "notifications/unheard_of" });
    bridge.send({ method: "notifications/cancelled", params: { requestId: 77 } });
    bridge.send({ method: "notifications/cancelled" });
    bridge.send({ id: 5, result: {} });
    bridge.send({ id: null, error: { code: 1, message: "" } });
    await bridge.request("ping");
    expect(bridge.told).toHaveLength(1);
  });

  it("[IPC-15] answers garbage with errors and goes on", async () => {
    const { bridge } = alone(...more);
    const noJson = ["{", "nonsense", '{"jsonrpc":"2.0"', "\u0000", '{"a":"\u0001"}', "\u{FEFF}{}"];
    const noMessage = [
      "1",
      "null",
      '"text"',
      "[]",
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
      "{}",
    ];
    const alsoNoMessage = [
      '{"id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":null,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1,"method":{}}',
      '{"jsonrpc":"2.0","id":1}',
    ];
    for (const line of [...noJson, ...noMessage, ...alsoNoMessage]) bridge.send(line);
    bridge.child.stdin.write(Buffer.of(0xff, 0xfe, 0x0a));
    bridge.send("");
    bridge.send(" \t \r");
    await bridge.request("ping");
    const codes = bridge.told.slice(0, -1).map(({ id, error }) => [id, error?.code]);
    expect(codes).toEqual([
      ...noJson.map(() => [null, -32700]),
      ...[...noMessage, ...alsoNoMessage].map(() => [null, -32600]),
      [null, -32700],
    ]);
  });

  it("[IPC-16] answers an oversized call by its id, a line that is too long to hold with null, and goes on", async () => {
    const { bridge } = alone(...more);
    const filler = "x".repeat(11_000_000);
    bridge.send({ method: "ping", params: { filler }, id: "big ping" });
    expect((await bridge.answerTo("big ping")).result).toEqual({});
    bridge.send("x".repeat(42_000_000));
    const { error } = await bridge.answerTo(null);
    expect(error).toMatchObject({ code: -32010, data: { limit: 41_943_040 } });
    expect((await bridge.request("ping")).result).toEqual({});
  });

  it("[IPC-19] lists what the file says now, and what it last said when it is gone", async () => {
    const { bridge, directory } = alone(...more);
    const names = async () => {
      const { result } = await bridge.request("tools/list");
      return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    };
    expect(await names()).toEqual(["add"]);
    const schema = writeSchema(directory, [{ name: "b" }, { name: "c" }]);
    expect(await names()).toEqual(["b", "c"]);
    writeSchema(directory, "[");
    expect(await names()).toEqual(["b", "c"]);
    rmSync(schema);
    expect(await names()).toEqual(["b", "c"]);
    await expect
      .poll(() => bridge.stderr)
      .toMatch(/BridgeStartupError: The schema file \S+ cannot be/);
  });

  it("[IPC-10] ends with 0 when standard input ends, also amid a line", async () => {
    const { bridge } = alone(...more);
    await bridge.initialize();
    bridge.child.stdin.end('{"jsonrpc":');
    expect(await bridge.ended).toEqual({ code: 0, signal: null });
  });

  it("[IPC-10] answers what it was asked before standard input ended", async () => {
    const { bridge } = alone(...more);
    bridge.child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    expect(await bridge.ended).toEqual({ code: 0, signal: null });
    expect(bridge.told).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("[IPC-10] ends on %s", async (signal) => {
    const { bridge } = alone(...more);
    await bridge.initialize();
    bridge.child.kill(signal);
    expect(await bridge.ended).toEqual({ code: null, signal });
  });

  it("[IPC-10] ends when its standard output is closed", async () => {
    const { bridge } = alone(...more);
    await bridge.initialize();
    bridge.child.stdout.destroy();
    bridge.send({ id: 1, method: "ping" });
    bridge.send({ id: 2, method: "ping" });
    expect(await bridge.ended).toEqual({ code: 69, signal: null });
  });

  it("[IPC-9] [IPC-10] goes on when its standard error is closed", async () => {
    const { bridge, schema } = alone(...more);
    await bridge.initialize();
    bridge.child.stderr.destroy();
    rmSync(schema);
    for (const _ of [1, 2, 3]) expect((await bridge.request("tools/list")).result).toBeDefined();
  });
});

describe("the bridge with a call open", () => {
  it.each([
    ["own mode", (socket: string) => HostProcess.own(socket), ["own"], "hold"],
    ["contract mode", (...paths: [string, string]) => HostProcess.foreign(...paths), [], "slow"],
  ] as const)(
    "[IPC-10] ends at once when standard input ends, in %s",
    async (_, host, more, tool) => {
      const directory = tempDir();
      const socket = join(directory, "a.sock");
      const schema = writeSchema(directory, []);
      const running = await host(socket, schema);
      const bridge = new BridgeProcess(socket, schema, ...more);
      bridge.send({
        id: 1,
        method: "tools/call",
        params: { name: tool, arguments: { seconds: 60 } },
      });
      await running.called(tool);
      const begin = performance.now();
      bridge.child.stdin.end();
      expect(await bridge.ended).toEqual({ code: 0, signal: null });
      expect(performance.now() - begin).toBeLessThan(5000);
    },
  );
});

describe("the bundled file", () => {
  it("holds none of the libraries that take long to load", () => {
    const bundle = readFileSync(bridgeFile, "utf8");
    expect(bundle).not.toMatch(/node_modules|\bzod\b|\bajv\b|pino|p-retry|modelcontextprotocol\//);
    expect(bundle.length).toBeLessThan(100_000);
  });

  it("needs little more memory than Node alone", async () => {
    const { bridge } = alone("own");
    await bridge.initialize();
    const node = spawn(process.execPath, ["-e", "process.stdin.resume(); console.log()"]);
    await once(node.stdout, "data");
    expect(bridge.residentBytes() / residentBytes(node.pid)).toBeLessThan(1.25);
    node.stdin.end();
  });
});
