import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createToolHost, defineTool } from "../../src/bridge/index.ts";
import { tempDir } from "../support/temp-dir.ts";
import { HostProcess } from "./fixtures/bridge-host-process.ts";
import { BridgeProcess, textOf } from "./fixtures/bridge-process.ts";

const MAX_BYTES = 10_485_760;

/** A parent in Python that was written from the contract alone, and our bridge. */
async function meet() {
  const directory = tempDir();
  const [socket, schema] = [join(directory, "a.sock"), join(directory, "schema.json")];
  const parent = await HostProcess.foreign(socket, schema);
  const bridge = new BridgeProcess(socket, schema);
  await bridge.initialize();
  return { directory, socket, schema, parent, bridge };
}

const tool = (name: string, handler: () => unknown) =>
  defineTool({ name, description: name, input: z.object({}), handler });

/** A host of ours, and a bridge that speaks the contract with it. */
async function meetHostWithStuckTool() {
  const { promise: stuck, resolve } = Promise.withResolvers<void>();
  const never = (): Promise<never> => {
    resolve();
    return new Promise(() => {});
  };
  const tools = [tool("stuck", never), tool("quick", () => "here")];
  const host = await createToolHost({ name: "h", tools }).start();
  onTestFinished(() => host.stop());
  const [, socket = "", schema = ""] = host.mcpServerConfig().args;
  const bridge = new BridgeProcess(socket, schema);
  await bridge.initialize();
  return { bridge, stuck };
}

const restart = (socket: string, schema: string): Promise<HostProcess> => {
  rmSync(socket, { force: true });
  return HostProcess.foreign(socket, schema);
};

describe("a foreign parent", () => {
  it("[IPC-2] [IPC-21] [IPC-23] [IPC-24] serves calls over one connection, made by the first", async () => {
    const { parent, bridge } = await meet();
    const { result } = await bridge.request("tools/list");
    expect((result as { tools: object[] }).tools[0]).toEqual({
      name: "add",
      description: "A tool in Python.",
      inputSchema: { type: "object" },
    });
    expect(parent.count("connected")).toBe(0);
    expect((await bridge.call("add", { a: 1, b: 2 })).result).toEqual({
      content: [{ type: "text", text: "3" }],
    });
    expect(textOf(await bridge.call("add", { a: "h\u2028é", b: "😀" }))).toBe("h\u2028é😀");
    expect(parent.count("connected")).toBe(1);
    expect((await parent.until("request")).request).toEqual({
      method: "call_tool",
      params: { name: "add", arguments: { a: 1, b: 2 } },
    });
  });

  it("[IPC-22] gets parallel calls one at a time, in their order", async () => {
    const { parent, bridge } = await meet();
    const calls = [0.3, 0, 0.1, 0, 0].map((seconds) => bridge.call("slow", { seconds }));
    expect((await Promise.all(calls)).map(textOf)).toEqual(Array(5).fill("slept"));
    const answered = bridge.told.filter(({ result }) => result?.content).map(({ id }) => id);
    expect(answered).toEqual([2, 3, 4, 5, 6]);
    expect(parent.count("violation")).toBe(0);
    expect(parent.count("connected")).toBe(1);
  });

  it("[IPC-11] does not hold up what the bridge answers itself", async () => {
    const { bridge } = await meet();
    const slow = bridge.call("slow", { seconds: 3 });
    await bridge.request("ping");
    await bridge.request("tools/list");
    expect(bridge.told.some(({ result }) => result?.content)).toBe(false);
    expect(textOf(await slow)).toBe("slept");
  });

  it("[IPC-24] [IPC-25] has its errors of both kinds reported, and the next call works", async () => {
    const { bridge } = await meet();
    expect((await bridge.call("is_error")).result).toEqual({
      content: [{ type: "text", text: "no such row" }],
      isError: true,
    });
    expect(textOf(await bridge.call("fail"))).toBe("error: ValueError: the number is odd");
    expect(textOf(await bridge.call("add", { a: 1 }))).toBe("error: KeyError: 'b'");
    expect(textOf(await bridge.call("sub"))).toMatch(
      /^error: ToolNotFoundError: The tools are: add/,
    );
    expect(textOf(await bridge.call("add", { a: 1, b: 1 }))).toBe("2");
  });

  it("[IPC-24] has content of every kind passed on as it is", async () => {
    const { bridge } = await meet();
    const content = [
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "odd", x: [1] },
    ];
    const payload = JSON.stringify({ result: { content, isError: false }, unknown: 1 });
    expect((await bridge.call("raw", { payload })).result).toEqual({ content, isError: false });
  });

  it("[IPC-3] [IPC-4] may send and receive exactly the maximum, and not a byte more", async () => {
    const { parent, bridge } = await meet();
    const answerOverhead = '{"result": {"content": [{"type": "text", "text": ""}]}}'.length;
    const fits = await bridge.call("big", { bytes: MAX_BYTES - answerOverhead - 1 });
    expect(textOf(fits)).toHaveLength((MAX_BYTES - answerOverhead - 1) / 2);
    const tooLarge = textOf(await bridge.call("big", { bytes: MAX_BYTES }));
    expect(tooLarge).toMatch(/^error: IPCMessageSizeError: A frame of \d+ bytes is over the limit/);

    const requestOverhead =
      '{"method":"call_tool","params":{"name":"sub","arguments":{"filler":""}}}'.length;
    const filler = "x".repeat(MAX_BYTES - requestOverhead);
    expect(textOf(await bridge.call("sub", { filler }))).toMatch(/^error: ToolNotFoundError/);
    const refused = textOf(await bridge.call("sub", { filler: `${filler}x` }));
    expect(refused).toMatch(/^error: IPCMessageSizeError: .*10485760.* Send less/);
    expect(parent.calls()).toHaveLength(3);

    expect(textOf(await bridge.call("add", { a: 1, b: 1 }))).toBe("2");
    expect(parent.count("connected")).toBe(1);
  });

  it.each([
    ["no JSON", "{"],
    ["no UTF-8", '{"result":{"content":[{"type":"text","text":"\u00ff"}]}}'],
    ["no object", "[]"],
    ["neither result nor error", "{}"],
    ["both", '{"result":{"content":[{"type":"text","text":""}]},"error":{"message":"","type":""}}'],
    ["a result without content", '{"result":{}}'],
    ["content that is no list", '{"result":{"content":"text"}}'],
    ["no content at all", '{"result":{"content":[]}}'],
    ["content without types", '{"result":{"content":[{}]}}'],
    ["no yes or no", '{"result":{"content":[{"type":"text","text":""}],"isError":"no"}}'],
    ["an error without a message", '{"error":{"type":"E"}}'],
    ["an error whose type is no text", '{"error":{"message":"m","type":1}}'],
    ["nothing at all", ""],
  ])(
    "[IPC-5] [IPC-26] that answers with %s causes an IPCError, and the connection is kept",
    async (_, payload) => {
      const { parent, bridge } = await meet();
      expect(textOf(await bridge.call("raw", { payload }))).toMatch(/^error: IPCError: /);
      expect(textOf(await bridge.call("add", { a: 1, b: 1 }))).toBe("2");
      expect(parent.count("connected")).toBe(1);
    },
  );

  it("[IPC-25] that names no type with its error has its message shown", async () => {
    const { bridge } = await meet();
    const payload = '{"error":{"message":"The shelf is empty."}}';
    expect(textOf(await bridge.call("raw", { payload }))).toBe("error: The shelf is empty.");
  });

  it("[IPC-52] never sees arguments that do not fit the schema it has announced", async () => {
    const { parent, bridge } = await meet();
    const call = async (args: object): Promise<string> =>
      textOf(await bridge.call("typed", { ...args }));
    expect(await call({ a: "x", b: "y" })).toBe(
      "error: IPCError: The arguments do not fit the schema of typed: a: must be number; b: must be number. The tool did not run. Correct the arguments and call it again.",
    );
    expect(await call({ a: 1 })).toContain("b: is missing.");
    expect(parent.calls()).toEqual([]);
    expect(await call({ a: 1, b: 2 })).toBe("3");
    // An invalid schema cannot be checked against: the parent decides, and the bridge warns its operator.
    expect(textOf(await bridge.call("odd", { a: "x" }))).toBe("odd");
    expect(bridge.stderr).toContain("The arguments of odd cannot be checked: ");
  });

  it("[IPC-27] that sends a message without a request is disconnected, so that it is not taken for the next answer", async () => {
    const { parent, bridge } = await meet();
    await bridge.call("twice");
    await parent.until("disconnected");
    await expect.poll(() => bridge.stderr).toContain("sent a message without a request");
    expect(textOf(await bridge.call("add", { a: 1, b: 1 }))).toBe("2");
    await expect.poll(() => parent.count("connected")).toBe(2);
  });

  it("[IPC-28] never sees a call that was cancelled while it waited; a running one has no answer", async () => {
    const { parent, bridge } = await meet();
    const slow = { name: "slow", arguments: { seconds: 3 } };
    const add = { name: "add", arguments: { a: 1, b: 1 } };
    bridge.send({ id: "running", method: "tools/call", params: slow });
    bridge.send({ id: "waiting", method: "tools/call", params: add });
    await parent.until("request");
    for (const requestId of ["running", "waiting"])
      bridge.send({ method: "notifications/cancelled", params: { requestId } });
    expect(textOf(await bridge.call("add", { a: 20, b: 2 }))).toBe("22");
    expect(parent.calls()).toEqual(["slow", "add"]);
    expect(bridge.told.map(({ id }) => id)).toEqual([1, 2]);
  });

  it("[IPC-28] does not block the next call after a call that never ends was cancelled", async () => {
    const { bridge, stuck } = await meetHostWithStuckTool();
    bridge.send({ id: "stuck", method: "tools/call", params: { name: "stuck" } });
    await stuck;
    bridge.send({ method: "notifications/cancelled", params: { requestId: "stuck" } });
    expect(textOf(await bridge.call("quick"))).toBe("here");
    expect(bridge.told.some(({ id }) => id === "stuck")).toBe(false);
  });

  it.each([
    ["no name", { arguments: {} }],
    ["a name that is no string", { name: 1 }],
    ["arguments that are no object", { name: "add", arguments: [1] }],
  ])("[IPC-15] is not bothered with a call that has %s", async (_, params) => {
    const { parent, bridge } = await meet();
    expect((await bridge.request("tools/call", params)).error?.code).toBe(-32602);
    expect(parent.calls()).toEqual([]);
  });

  it("[IPC-23] gets an empty object when a call has no arguments", async () => {
    const { parent, bridge } = await meet();
    await bridge.request("tools/call", { name: "is_error", _meta: { progressToken: 1 } });
    const { request } = await parent.until("request");
    expect(request?.params).toEqual({ name: "is_error", arguments: {} });
  });
});

describe("a foreign parent that goes", () => {
  it.each([
    ["leave", "by closing the connection"],
    ["cut", "amid a frame"],
  ])(
    "[IPC-41] [IPC-42] in mid-call, %s: that call may have run, the next has a new connection",
    async (name) => {
      const { parent, bridge, socket } = await meet();
      const text = textOf(await bridge.call(name));
      expect(text).toContain(
        `error: IPCConnectionError: The connection to the tool host at ${socket} was lost`,
      );
      expect(text).toContain("The call may have run. Check its effect before you call again.");
      expect(textOf(await bridge.call("add", { a: 1, b: 1 }))).toBe("2");
      expect(parent.count("connected")).toBe(2);
      expect(parent.calls()).toEqual([name, "add"]);
    },
  );

  it("[IPC-29] [IPC-41] [IPC-42] is killed in mid-call: an error for it, the waiting ones fail, and a new one serves the next", async () => {
    const { parent, bridge, socket, schema } = await meet();
    const running = bridge.call("slow", { seconds: 60 });
    await parent.until("request");
    const waiting = bridge.call("add", { a: 1, b: 1 });
    await parent.kill();
    expect(textOf(await running)).toMatch(/^error: IPCConnectionError: .* may have run/);
    // While it dies it may take one more connection, only to lose it.
    expect(textOf(await waiting)).toMatch(
      /^error: IPCConnectionError: .*(no call ran|may have run)/,
    );
    const successor = await restart(socket, schema);
    expect(textOf(await bridge.call("add", { a: 2, b: 2 }))).toBe("4");
    expect(successor.calls()).toEqual(["add"]);
  });

  it("[IPC-42] is killed between two calls: the next goes to its successor without an error", async () => {
    const { parent, bridge, socket, schema } = await meet();
    await bridge.call("add", { a: 1, b: 1 });
    await parent.kill();
    await restart(socket, schema);
    expect(textOf(await bridge.call("add", { a: 2, b: 2 }))).toBe("4");
  });

  it("[IPC-42] keeps serving over an open connection when its socket file is removed", async () => {
    const { bridge, socket } = await meet();
    await bridge.call("add", { a: 1, b: 1 });
    rmSync(socket);
    expect(textOf(await bridge.call("add", { a: 2, b: 2 }))).toBe("4");
  });

  it("[IPC-22] is stopped in mid-call: the bridge waits, answers for itself, and gets the result when it goes on", async () => {
    const { parent, bridge } = await meet();
    await bridge.call("add", { a: 1, b: 1 });
    parent.stop();
    const call = bridge.call("add", { a: 2, b: 2 });
    expect((await bridge.request("ping")).result).toEqual({});
    expect(bridge.told.filter(({ result }) => result?.content)).toHaveLength(1);
    parent.goOn();
    expect(textOf(await call)).toBe("4");
  });
});

describe("a foreign parent whose bridge goes", () => {
  it("[IPC-42] in mid-call serves the next bridge", async () => {
    const { parent, bridge, socket, schema } = await meet();
    void bridge.call("slow", { seconds: 0.2 }).catch(() => {});
    await parent.until("request");
    bridge.child.kill("SIGKILL");
    await bridge.ended;
    const next = new BridgeProcess(socket, schema);
    expect(textOf(await next.call("add", { a: 1, b: 1 }))).toBe("2");
  });
});
