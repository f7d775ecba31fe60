import { existsSync, readdirSync, unlinkSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { StdioServerConfig, ToolHost } from "../../src/bridge/index.ts";
import { createToolHost, defineTool } from "../../src/bridge/index.ts";
import { probeSocket } from "../../src/net/probe-socket.ts";
import { call, connectClient } from "../support/bridge-client.ts";
import { ownTempDir, tempDir } from "../support/temp-dir.ts";
import { BridgeProcess, textOf } from "./fixtures/bridge-process.ts";
import type { Fixture } from "./fixtures/net-start.ts";
import { start } from "./fixtures/net-start.ts";

interface HostProgram extends Fixture {
  config: StdioServerConfig;
  socket: string;
}

async function startProgram(behaviour: string, directory?: string): Promise<HostProgram> {
  const args = directory === undefined ? [behaviour] : [behaviour, directory];
  const program = start("bridge-tool-host.ts", args);
  const config = JSON.parse(await program.nextLine()) as StdioServerConfig;
  return { ...program, config, socket: config.args[1]! };
}

const forever = (): Promise<never> => new Promise(() => {});

async function startHost(handler: (signal: AbortSignal) => unknown): Promise<ToolHost> {
  const tool = defineTool({
    name: "t",
    description: "d",
    input: z.object({}),
    handler: (_args, { signal }) => handler(signal),
  });
  const host = await createToolHost({ name: "h", tools: [tool] }).start();
  onTestFinished(() => host.stop());
  return host;
}

describe("a program with a host leaves nothing behind", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("when it dies by %s", async (signal) => {
    const program = await startProgram("wait");
    await program.nextLine();
    expect(readdirSync(dirname(program.socket))).toHaveLength(2);
    program.process.kill(signal);
    expect(await program.ended).toBe(signal);
    expect(existsSync(dirname(program.socket))).toBe(false);
  });

  test.each([
    ["throw", 1],
    ["exit", 5],
    ["stop", 0],
  ])("when it ends by itself (%s)", async (behaviour, code) => {
    const program = await startProgram(behaviour);
    expect(await program.ended).toBe(code);
    expect(existsSync(dirname(program.socket))).toBe(false);
  });

  test("when it stops the host in a signal handler of its own", async () => {
    const program = await startProgram("stop-on-sigterm");
    await program.nextLine();
    program.process.kill("SIGTERM");
    expect(await program.ended).toBe(0);
    expect(existsSync(dirname(program.socket))).toBe(false);
  });
});

/** As if it had happened a while ago. */
function age(...paths: string[]): void {
  const then = Date.now() / 1000 - 60;
  for (const path of paths) utimesSync(path, then, then);
}

test("a tool host removes the files of a killed host, and not those of a living one", async () => {
  ownTempDir();
  const [killed, living] = [await startProgram("wait"), await startProgram("wait")];
  killed.process.kill("SIGKILL");
  await killed.ended;
  expect(await probeSocket(killed.socket)).toEqual({ state: "dead" });
  for (const { socket } of [killed, living]) age(socket, dirname(socket));
  await startHost(() => "");
  expect(existsSync(dirname(killed.socket))).toBe(false);
  expect(readdirSync(dirname(living.socket))).toHaveLength(2);
  const client = await connectClient(living.config);
  expect(await call(client, "who")).toBe(String(living.process.pid));
});

test("a session whose host was killed is served by the next at the same place", async () => {
  const directory = tempDir();
  const first = await startProgram("wait", directory);
  const client = await connectClient(first.config);
  expect(await call(client, "who")).toBe(String(first.process.pid));
  first.process.kill("SIGKILL");
  await first.ended;
  const second = await startProgram("wait", directory);
  expect(second.config).toEqual(first.config);
  expect(await call(client, "who")).toBe(String(second.process.pid));
});

test("[IPC-38] an idempotent call whose host is killed runs on the next host and is answered once", async () => {
  const directory = tempDir();
  const first = await startProgram("hold", directory);
  expect(await first.nextLine()).toBe("ready");
  const [, ...args] = first.config.args;
  const bridge = new BridgeProcess(...args);
  await bridge.initialize();
  const noteAs = (id: string) =>
    bridge.send({
      id,
      method: "tools/call",
      params: { name: "note", arguments: {}, _meta: { "claudecode/toolUseId": `toolu_${id}` } },
    });
  noteAs("a");
  expect(await first.nextLine()).toBe("toolu_a");
  first.process.kill("SIGKILL");
  await first.ended;
  await startProgram("wait", directory);
  expect(textOf(await bridge.answerTo("a", 40_000))).toBe("toolu_a is call 1");
  noteAs("b");
  expect(textOf(await bridge.answerTo("b"))).toBe("toolu_b is call 2");
  expect(bridge.told.filter(({ id }) => id === "a")).toHaveLength(1);
});

test("the handler of a call is aborted when its bridge is killed, and the next bridge works", async () => {
  const signals: AbortSignal[] = [];
  const host = await startHost((signal) => {
    signals.push(signal);
    return signals.length === 1 ? forever() : "again";
  });
  const { command, args, env } = host.mcpServerConfig();
  const transport = new StdioClientTransport({ command, args, env });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const lost = client.callTool({ name: "t" });
  lost.catch(() => {});
  await expect.poll(() => signals.length).toBe(1);
  process.kill(transport.pid!, "SIGKILL");
  await expect(lost).rejects.toThrow("Connection closed");
  await expect.poll(() => signals[0]!.aborted).toBe(true);
  expect(await call(await connectClient(host.mcpServerConfig()), "t")).toBe("again");
});

test("a host whose socket file was removed goes on serving who is connected", async () => {
  const host = await startHost(() => "here");
  const config = host.mcpServerConfig();
  const client = await connectClient(config);
  expect(await call(client, "t")).toBe("here");
  unlinkSync(config.args[1]!);
  expect(await call(client, "t")).toBe("here");
  expect(await call(await connectClient(config), "t")).toMatch(/^failed: IPCConnectionError: /);
  await host.stop();
  expect(existsSync(dirname(config.args[1]!))).toBe(false);
});
