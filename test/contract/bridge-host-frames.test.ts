import { createConnection } from "node:net";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Tool, ToolHost } from "../../src/bridge/index.ts";
import { content, createToolHost, defineTool } from "../../src/bridge/index.ts";
import { encodeFrame, frameBytes, FrameSplitter } from "../../src/wire/frame.ts";
import { parseJson } from "../../src/wire/json-payload.ts";
import { failingTools, failures, withoutSizes } from "../support/failing-tools.ts";
import { FramePeer } from "../support/frames.ts";

// What a host says to bridges that others wrote, from the IPC contract alone.

const echo = defineTool({
  name: "echo",
  description: "d",
  input: z.object({ text: z.string() }),
  handler: async ({ text }) => text,
});
const show = defineTool({
  name: "show",
  description: "d",
  input: z.object({ what: z.enum(["image", "nothing"]) }),
  handler: ({ what }) =>
    what === "image"
      ? [content.text("look"), content.image(new Uint8Array(5), "image/png")]
      : content.result({ content: [] }),
});

const startHost = (...tools: Tool[]): Promise<ToolHost> =>
  createToolHost({ name: "h", tools: [echo, show, ...tools] }).start();
const socketOf = (host: ToolHost): string => host.mcpServerConfig().args[1]!;

const request = (name: string, args: unknown = {}) => ({
  method: "call_tool",
  params: { name, arguments: args },
});
const answer = (...texts: string[]) => ({
  result: { content: texts.map((text) => ({ type: "text", text })), isError: false },
});
const failure = (type: string, message: string) => ({
  error: { type, message: expect.stringContaining(message) },
});
const bytes = (text: string): Uint8Array => frameBytes(new TextEncoder().encode(text));

/** A header that promises more than a frame may hold, and then all of it. */
function oversizedFrame(): Uint8Array {
  const frame = new Uint8Array(4 + 10_485_761);
  new DataView(frame.buffer).setUint32(0, 10_485_761);
  return frame;
}

describe("a bridge in contract mode", () => {
  test("[IPC-2] [IPC-24] gets one text for a result, over one connection again and again", async () => {
    await using host = await startHost();
    await using peer = await FramePeer.connect(socketOf(host));
    for (const text of ["one", "two", ""]) {
      expect(await peer.ask(request("echo", { text }))).toEqual(answer(text));
    }
  });

  test("[IPC-24] gets text that says what other content was, and never an empty list", async () => {
    await using host = await startHost();
    await using peer = await FramePeer.connect(socketOf(host));
    expect(await peer.ask(request("show", { what: "image" }))).toEqual(
      answer("look", "[image: image/png, 5 bytes]"),
    );
    expect(await peer.ask(request("show", { what: "nothing" }))).toEqual(answer(""));
  });

  test("[IPC-25] [IPC-45] [IPC-46] [IPC-47] [IPC-48] gets each failure typed, and the connection survives it", async () => {
    await using host = await startHost(...failingTools);
    await using peer = await FramePeer.connect(socketOf(host));
    for (const { name, input, text } of failures) {
      const given = (await peer.ask(request(name, input))) as {
        error?: { type: string; message: string };
        result?: { content: { text: string }[]; isError: boolean };
      };
      const words = given.error
        ? `${given.error.type}: ${given.error.message}`
        : given.result?.content[0]?.text;
      expect(withoutSizes(words ?? "")).toBe(text);
      // Only a failure that the tool itself told is a result.
      expect(given.result?.isError).toBe(name === "foreseen" ? true : undefined);
      expect(await peer.ask(request("echo", { text: "on" }))).toEqual(answer("on"));
    }
    expect(await peer.ask(request("missing"))).toEqual(
      failure("ToolNotFoundError", 'There is no tool "missing". The tools are: echo, show'),
    );
  });

  test.each([
    ["an unknown method", encodeFrame({ method: "list_tools" }), "IPCError", "is call_tool"],
    ["no method", encodeFrame({}), "IPCError", "names its method"],
    ["no object", encodeFrame([1]), "IPCError", "is a JSON object"],
    [
      "arguments that are no object",
      encodeFrame({ method: "call_tool", params: { name: "echo", arguments: [1] } }),
      "IPCError",
      "call_tool.params.arguments",
    ],
    ["invalid JSON", bytes("{nonsense"), "IPCError", "Invalid JSON"],
    ["invalid UTF-8", frameBytes(new Uint8Array([0xff])), "IPCError", "Invalid UTF-8"],
    ["an empty frame", frameBytes(new Uint8Array(0)), "IPCError", "The message is empty"],
    [
      "a frame too large",
      oversizedFrame(),
      "IPCMessageSizeError",
      "10485761 bytes is over the limit",
    ],
  ])(
    "[IPC-4] [IPC-5] [IPC-44] is told what is wrong with %s, and goes on",
    async (_, frame, type, message) => {
      await using host = await startHost();
      await using peer = await FramePeer.connect(socketOf(host));
      for (const round of [1, 2]) {
        peer.sendBytes(frame);
        expect(await peer.next()).toEqual(failure(type, message));
        const text = `round ${round}`;
        expect(await peer.ask(request("echo", { text }))).toEqual(answer(text));
      }
    },
  );

  test("[IPC-23] that leaves out the arguments means an empty object", async () => {
    const seen: unknown[] = [];
    const input = { type: "object" } as const;
    const note = defineTool({
      name: "note",
      description: "d",
      input,
      handler: (args) => void seen.push(args),
    });
    await using host = await startHost(note);
    await using peer = await FramePeer.connect(socketOf(host));
    peer.send({ method: "call_tool", params: { name: "note" } });
    expect(await peer.next()).toEqual(answer(""));
    expect(seen).toEqual([{}]);
  });

  test("[IPC-51] that does not wait for an answer gets an error and is disconnected, so that answers are not mixed up", async () => {
    const stuck = defineTool({
      name: "stuck",
      description: "d",
      input: z.object({}),
      handler: () => new Promise(() => {}),
    });
    await using host = await startHost(stuck);
    await using peer = await FramePeer.connect(socketOf(host));
    peer.send(request("stuck", {}));
    peer.send(request("echo", { text: "second" }));
    expect(await peer.next()).toEqual(
      failure("IPCError", "A second request came before the answer to the first."),
    );
    expect(await peer.next()).toBe("end");
    await using again = await FramePeer.connect(socketOf(host));
    expect(await again.ask(request("echo", { text: "third" }))).toEqual(answer("third"));
  });

  test("that has ended its side still gets its answer", async () => {
    await using host = await startHost();
    const socket = createConnection({ path: socketOf(host), allowHalfOpen: true });
    socket.end(encodeFrame(request("echo", { text: "bye" })));
    const splitter = new FrameSplitter();
    const answers = [];
    for await (const chunk of socket) answers.push(...splitter.push(chunk as Buffer));
    expect(answers.map((each) => each.ok && parseJson(each.bytes))).toEqual([
      { ok: true, value: answer("bye") },
    ]);
  });

  test("gets its answer before a stopping host hangs up", async () => {
    const started = Promise.withResolvers<void>();
    const never = defineTool({
      name: "never",
      description: "d",
      input: z.object({}),
      handler: () => {
        started.resolve();
        return new Promise(() => {});
      },
    });
    await using host = await startHost(never);
    await using peer = await FramePeer.connect(socketOf(host));
    peer.send(request("never"));
    await started.promise;
    await host.stop();
    expect([await peer.next(), await peer.next()]).toEqual([
      failure("IPCConnectionError", "The tool host h was stopped. The call may have run."),
      "end",
    ]);
  });
});

const initialize = {
  jsonrpc: "2.0",
  id: "bridge:init",
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};
const toolCall = (id: number | string, text: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "echo", arguments: { text } },
});
const result = (id: number | string, text: string) => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text }] },
});

describe("a bridge in own mode", () => {
  test("[IPC-6] is recognised by its first frame, with or without a handshake", async () => {
    await using host = await startHost();
    await using polite = await FramePeer.connect(socketOf(host));
    expect(await polite.ask(initialize)).toMatchObject({
      id: "bridge:init",
      result: { serverInfo: { name: "h" }, capabilities: { tools: { listChanged: true } } },
    });
    expect(await polite.ask(toolCall(1, "a"))).toEqual(result(1, "a"));
    await using hasty = await FramePeer.connect(socketOf(host));
    expect(await hasty.ask(toolCall("x", "b"))).toEqual(result("x", "b"));
  });

  test.each([
    ["invalid JSON", bytes("{nonsense"), null, -32700],
    ["a frame too large", oversizedFrame(), null, -32010],
    ["a batch", encodeFrame([toolCall(7, "a")]), null, -32600],
    ["no message of MCP", encodeFrame({ jsonrpc: "2.0", id: 7 }), 7, -32600],
    ["a contract request", encodeFrame(request("echo", { text: "a" })), null, -32600],
    ["an unknown method", encodeFrame({ jsonrpc: "2.0", id: 7, method: "tools/sell" }), 7, -32601],
    [
      "a call without a name",
      encodeFrame({ jsonrpc: "2.0", id: 7, method: "tools/call", params: {} }),
      7,
      -32602,
    ],
  ])(
    "[IPC-4] [IPC-49] [IPC-50] is told what is wrong with %s, and goes on",
    async (_, frame, id, code) => {
      await using host = await startHost();
      await using peer = await FramePeer.connect(socketOf(host));
      await peer.ask(initialize);
      peer.sendBytes(frame);
      expect(await peer.next()).toMatchObject({ jsonrpc: "2.0", id, error: { code } });
      expect(await peer.ask(toolCall(8, "on"))).toEqual(result(8, "on"));
    },
  );

  test("gets the same answer whether or not a call has fields beyond the common ones of MCP", async () => {
    await using host = await startHost();
    await using peer = await FramePeer.connect(socketOf(host));
    await peer.ask(initialize);
    const params = { name: "echo", arguments: { text: "a" } };
    const related = { "io.modelcontextprotocol/related-task": { taskId: "t" } };
    for (const more of [{}, { _meta: {} }, { _meta: related }, { unknown: 1 }]) {
      const call = { ...toolCall(1, ""), params: { ...params, ...more } };
      expect(await peer.ask(call)).toEqual(result(1, "a"));
    }
  });

  test("that uses an id twice at once gets an answer for each", async () => {
    await using host = await startHost();
    await using peer = await FramePeer.connect(socketOf(host));
    await peer.ask(initialize);
    for (const text of ["a", "b"]) peer.send(toolCall(1, text));
    const texts = [await peer.next(), await peer.next()].map(
      (each) => (each as ReturnType<typeof result>).result.content[0]?.text,
    );
    expect(new Set(texts)).toEqual(new Set(["a", "b"]));
  });

  test("that leaves in mid-call has its handlers aborted", async () => {
    const signals: AbortSignal[] = [];
    const wait = defineTool({
      name: "wait",
      description: "d",
      input: z.object({}),
      handler: (_args, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    await using host = await startHost(wait);
    const peer = await FramePeer.connect(socketOf(host));
    const call = { ...toolCall(1, ""), params: { name: "wait", arguments: {} } };
    peer.send(call);
    await expect.poll(() => signals.length).toBe(1);
    await peer.channel.close();
    await expect.poll(() => signals[0]!.aborted).toBe(true);
    expect(signals[0]!.reason).toMatchObject({ code: "aborted" });
  });
});

test("a silent connection, and one with half a frame, do no harm", async () => {
  await using host = await startHost();
  for (const said of [new Uint8Array(0), new Uint8Array([0, 0, 0, 9, 1])]) {
    const socket = createConnection(socketOf(host));
    socket.end(said);
    await new Promise((resolve) => socket.once("close", resolve).resume());
  }
  await using peer = await FramePeer.connect(socketOf(host));
  expect(await peer.ask(request("echo", { text: "on" }))).toEqual(answer("on"));
});
