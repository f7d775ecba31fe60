import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { HostProcess } from "./fixtures/bridge-host-process.ts";
import { BridgeProcess, textOf, writeSchema } from "./fixtures/bridge-process.ts";

const MAX_BYTES = 10_485_760;

async function meet(name?: string) {
  const directory = tempDir();
  const socket = join(directory, "a.sock");
  const schema = writeSchema(directory, [{ name: "echo" }]);
  const host = await HostProcess.own(socket, name);
  const bridge = new BridgeProcess(socket, schema, "own");
  return { directory, socket, schema, host, bridge };
}

async function introduced() {
  const all = await meet();
  await all.bridge.initialize();
  await all.host.until("received", {
    fits: ({ message }) => message.method === "notifications/initialized",
  });
  return all;
}

describe("own mode", () => {
  it("[IPC-6] [IPC-31] connects in the background and makes the handshake in the client's name", async () => {
    const { host, bridge } = await introduced();
    const texts = host.told.flatMap((event) => (event.type === "received" ? event.text : []));
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      {
        jsonrpc: "2.0",
        id: "bridge:init",
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "test", version: "1" },
        },
      },
      { jsonrpc: "2.0", method: "notifications/initialized" },
    ]);
    expect(bridge.told).toHaveLength(1);
  });

  it("[IPC-31] makes the handshake also for a client that calls without one", async () => {
    const { host, bridge } = await meet();
    expect(textOf(await bridge.call("who"))).toBe("first");
    const methods = host.told.map((event) => event.type === "received" && event.message.method);
    expect(methods.filter(Boolean)).toEqual([
      "initialize",
      "notifications/initialized",
      "tools/call",
    ]);
  });

  it("[IPC-31] [IPC-40] says that the host refused the handshake", async () => {
    const { bridge } = await meet("refusing");
    await bridge.initialize();
    expect(textOf(await bridge.call("who"))).toMatch(
      /^error: IPCConnectionError: .*it refused the handshake: no/,
    );
    expect(textOf(await bridge.call("who"))).toMatch(/refused/);
  });

  it("[IPC-30] carries messages to the byte, both ways", async () => {
    const { host, bridge } = await introduced();
    const call =
      '{ "method":"tools/call" ,"params":{"name":"raw","x":1.0,"_meta":{"é":"\\u00e9"},' +
      '"arguments":{"text":"{ \\"result\\" : {\\"content\\":[],\\"n\\":1.50} ,\\"jsonrpc\\":\\"2.0\\", \\"id\\":ID }"}},' +
      '"jsonrpc":"2.0","id":"a-1"}';
    let raw = "";
    bridge.child.stdout.on("data", (chunk) => (raw += String(chunk)));
    bridge.send(call);
    await bridge.answerTo("a-1");
    expect(raw).toBe('{ "result" : {"content":[],"n":1.50} ,"jsonrpc":"2.0", "id":"a-1" }\n');
    const { text } = await host.until("received", { fits: ({ message }) => message.id === "a-1" });
    expect(text).toBe(call);
  });

  it("[IPC-9] [IPC-30] makes one line of an answer of several", async () => {
    const { bridge } = await introduced();
    const text = '{\n"jsonrpc":"2.0",\r\n"id":ID,"result":{}}';
    expect((await bridge.call("raw", { text })).result).toEqual({});
    const large = `{"jsonrpc":"2.0",\n"id":ID,"result":{"x":"${"x".repeat(70_000)}"}}`;
    expect((await bridge.call("raw", { text: large })).result?.["x"]).toHaveLength(70_000);
  });

  it.each([0, 1, 4_000, 5_000, 65_536, 1_000_000])(
    "[IPC-30] carries %i characters of arguments and result",
    async (length) => {
      const { bridge } = await introduced();
      const filler = '"\\é'.repeat(length / 3);
      const echoed = textOf(await bridge.call("echo", { filler }));
      expect(JSON.parse(echoed)).toEqual({ name: "echo", arguments: { filler } });
    },
  );

  it("[IPC-33] runs calls side by side; each has its own answer", async () => {
    const { bridge } = await introduced();
    const times = [3_000, 1_500, 0];
    const calls = times.map((ms) => bridge.call("sleep", { ms }));
    expect((await Promise.all(calls)).map(textOf)).toEqual(["slept", "slept", "slept"]);
    const ids = bridge.told.slice(1).map(({ id }) => id);
    expect(ids).toEqual([4, 3, 2]);
  });

  it("[IPC-33] [IPC-36] tells apart ids that look alike", async () => {
    const { bridge } = await introduced();
    bridge.send({ id: 7, method: "tools/call", params: { name: "meta" } });
    bridge.send({ id: "7", method: "tools/call", params: { name: "meta" } });
    expect(JSON.parse(textOf(await bridge.answerTo(7)))).toEqual({ id: 7 });
    expect(JSON.parse(textOf(await bridge.answerTo("7")))).toEqual({ id: "7" });
  });

  it("[IPC-34] [IPC-36] passes a cancellation on, and drops the answer of a host that gives one", async () => {
    const { host, bridge } = await introduced();
    bridge.send({ id: "gone", method: "tools/call", params: { name: "hold" } });
    await host.called("hold");
    bridge.send({ method: "notifications/cancelled", params: { requestId: "gone", reason: "r" } });
    await host.until("received", {
      fits: ({ message }) => message.method === "notifications/cancelled",
    });
    await bridge.call("who");
    expect(bridge.told.some(({ id }) => id === "gone")).toBe(false);
  });

  it("[IPC-34] never sends a call that is cancelled before it could be sent", async () => {
    const { host, bridge } = await meet();
    host.stop();
    bridge.send({ id: "gone", method: "tools/call", params: { name: "echo" } });
    bridge.send({ method: "notifications/cancelled", params: { requestId: "gone" } });
    await bridge.request("ping");
    host.goOn();
    await bridge.call("who");
    expect(host.calls()).toEqual(["who"]);
    const cancelled = host.told.some(
      (event) => event.type === "received" && event.message.method === "notifications/cancelled",
    );
    expect(cancelled).toBe(false);
  });

  it("[IPC-35] passes progress on before the result", async () => {
    const { bridge } = await introduced();
    const params = { name: "progress", _meta: { progressToken: 9 } };
    expect(textOf(await bridge.request("tools/call", params))).toBe("done");
    const progress = [1, 2, 3].map((step) => ({ progressToken: 9, progress: step }));
    expect(bridge.told.slice(1, -1).map((message) => message.params)).toEqual(progress);
  });

  it("[IPC-32] [IPC-35] passes notifications, and the host's own requests and their answers", async () => {
    const { host, bridge } = await introduced();
    bridge.send({ method: "notifications/change_tools" });
    await bridge.until(({ method }) => method === "notifications/tools/list_changed");
    bridge.send({ method: "notifications/ask_me" });
    await bridge.until(({ method }) => method === "roots/list");
    bridge.send({ id: 1, result: { roots: [] } });
    const { text } = await host.until("received", {
      fits: ({ message }) => message.id === 1 && message.method === undefined,
    });
    expect(JSON.parse(text)).toEqual({ jsonrpc: "2.0", id: 1, result: { roots: [] } });
  });

  it("[IPC-32] keeps to itself what it answers and refuses", async () => {
    const { host, bridge } = await introduced();
    bridge.send({ method: "notifications/initialized" });
    for (const method of ["ping", "tools/list", "server/discover"]) await bridge.request(method);
    await bridge.call("who");
    expect(host.count("received")).toBe(3);
  });
});

/** As the CLI writes it: the id comes last. */
const line = (filler: string, id: number): string =>
  JSON.stringify({ params: { filler, name: "who" }, method: "tools/call", jsonrpc: "2.0", id });

describe("size, in own mode", () => {
  it("[IPC-3] [IPC-4] [IPC-16] a call of exactly the maximum gets through, a larger one fails", async () => {
    const { host, bridge } = await introduced();
    const filler = "x".repeat(MAX_BYTES - line("", 71).length);
    bridge.send(line(filler, 71));
    expect(textOf(await bridge.answerTo(71))).toBe("first");
    bridge.send(line(`${filler}x`, 72));
    expect(textOf(await bridge.answerTo(72))).toMatch(
      /^error: IPCMessageSizeError: .*10485761 bytes is over the limit of 10485760 bytes. Send less/,
    );
    expect(host.calls()).toEqual(["who"]);
    expect(textOf(await bridge.call("who"))).toBe("first");
  });

  it("[IPC-3] [IPC-37] a result of exactly the maximum gets through, a larger one fails", async () => {
    const { host, bridge } = await introduced();
    const overhead = '{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":""}]},"id":2}'
      .length;
    const bytes = MAX_BYTES - overhead - ((MAX_BYTES - overhead) % 2);
    expect(textOf(await bridge.call("big", { bytes }))).toHaveLength(bytes / 2);
    expect(textOf(await bridge.call("big", { bytes: bytes + 2 }))).toMatch(
      /^error: IPCMessageSizeError: .* is over the limit of 10485760 bytes/,
    );
    expect(textOf(await bridge.call("who"))).toBe("first");
    expect(host.count("connected")).toBe(1);
  });

  it.each([
    ["a frame too large to hold", { name: "big", arguments: { bytes: 42_000_000 } }],
    ["no JSON", { name: "raw", arguments: { text: "nonsense" } }],
    ["no message", { name: "raw", arguments: { text: '{"result":{}}' } }],
  ])(
    "[IPC-37] [IPC-42] %s ends the connection: open calls fail, the next one works",
    async (_, params) => {
      const { host, bridge } = await introduced();
      const other = bridge.call("hold");
      await host.called("hold");
      for (const answer of [bridge.request("tools/call", params), other])
        expect(textOf(await answer)).toMatch(/^error: IPCConnectionError: .* may have run/);
      expect(textOf(await bridge.call("who"))).toBe("first");
      expect(host.count("connected")).toBe(2);
    },
  );

  it("[IPC-35] an error about a message that the host could not read reaches the client", async () => {
    const { bridge } = await introduced();
    bridge.send({
      id: 5,
      method: "tools/call",
      params: {
        name: "raw",
        arguments: { text: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}' },
      },
    });
    expect((await bridge.answerTo(null)).error?.code).toBe(-32700);
  });
});

describe("slow peers, in own mode", () => {
  it("[IPC-43] a client that does not read slows the host down, and loses nothing", async () => {
    const { bridge } = await introduced();
    bridge.child.stdout.pause();
    const calls = Array.from({ length: 24 }, () =>
      bridge.call("big", { bytes: 8_000_000 }, 60_000),
    );
    await bridge.untilResidentSettles();
    expect(bridge.residentBytes()).toBeLessThan(150_000_000);
    bridge.child.stdout.resume();
    for (const answer of await Promise.all(calls)) expect(textOf(answer)).toHaveLength(4_000_000);
  });

  it("[IPC-43] a host that does not read has calls refused, in bounds, and serves again when it goes on", async () => {
    const { host, bridge } = await introduced();
    host.stop();
    const filler = "x".repeat(8_000_000);
    const calls = Array.from({ length: 6 }, () => bridge.call("who", { filler }, 60_000));
    const refused = await Promise.any(calls);
    expect(textOf(refused)).toMatch(
      /^error: IPCConnectionError: The tool host at .* does not read/,
    );
    host.goOn();
    const texts = (await Promise.all(calls)).map(textOf);
    expect(texts.slice(0, 3)).toEqual(["first", "first", "first"]);
    expect(textOf(await bridge.call("who"))).toBe("first");
  });
});

describe("a schema file that changes, in own mode", () => {
  it("[IPC-39] is announced when a host comes back with other tools", async () => {
    const { host, bridge, socket, schema } = await introduced();
    await bridge.request("tools/list");
    await host.kill();
    writeFileSync(schema, JSON.stringify([{ name: "b", description: "", input_schema: {} }]));
    await HostProcess.own(socket, "second");
    expect(textOf(await bridge.call("who"))).toBe("second");
    await bridge.until(({ method }) => method === "notifications/tools/list_changed");
    const { result } = await bridge.request("tools/list");
    expect(result).toMatchObject({ tools: [{ name: "b" }] });
  });

  it("[IPC-39] [IPC-42] is announced soon after the host is back, also without a call", async () => {
    const { host, bridge, socket, schema } = await introduced();
    await bridge.request("tools/list");
    await host.kill();
    writeFileSync(schema, JSON.stringify([{ name: "b", description: "", input_schema: {} }]));
    const second = await HostProcess.own(socket, "second");
    await bridge.until(({ method }) => method === "notifications/tools/list_changed");
    expect(second.calls()).toEqual([]);
  });

  it("[IPC-39] is not announced when the host comes back with the same", async () => {
    const { host, bridge, socket } = await introduced();
    await bridge.request("tools/list");
    await host.kill();
    await HostProcess.own(socket, "second");
    expect(textOf(await bridge.call("who"))).toBe("second");
    expect(bridge.told.some(({ method }) => method !== undefined)).toBe(false);
  });
});
