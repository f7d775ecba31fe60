import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Tool, ToolContext } from "../../src/bridge/index.ts";
import { content, createToolHost, defineTool } from "../../src/bridge/index.ts";
import { failingTools, failures, withoutSizes } from "../support/failing-tools.ts";
import { FramePeer } from "../support/frames.ts";

// Our host answers plain calls itself, and leaves to the official library those that carry something of
// a newer protocol. No client must see which of the two it was.

const named = (name: string, handler: (context: ToolContext) => unknown): Tool =>
  defineTool({
    name,
    description: "d",
    input: z.object({}),
    handler: (_args, context) => handler(context),
  });

const paths = {
  itself: {},
  "by the library": { "io.modelcontextprotocol/related-task": { taskId: "t" } },
};

type Path = keyof typeof paths;

const clientInfo = { name: "test", version: "1" };
const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};
const ping = { jsonrpc: "2.0", id: "ping", method: "ping" };

async function meet(...tools: Tool[]): Promise<FramePeer> {
  const host = await createToolHost({ name: "h", tools }).start();
  onTestFinished(() => host.stop());
  const peer = await FramePeer.connect(host.mcpServerConfig().args[1] ?? "");
  onTestFinished(() => peer.channel.close());
  await peer.ask(initialize);
  return peer;
}

const callOf = (path: Path, name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name,
    arguments: args,
    _meta: { ...paths[path], progressToken: "p", "claudecode/toolUseId": "toolu_1" },
  },
});

/** What a peer is told on each of the paths; what both say must be the same. */
async function onBothPaths<Told>(tell: (path: Path) => Promise<Told>): Promise<Told> {
  const itself = await tell("itself");
  expect(await tell("by the library")).toEqual(itself);
  return itself;
}

const progressOf = (params: object) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: "p", ...params },
});

interface Failure {
  result: { isError: boolean; content: { text: string }[] };
}

describe("a call is answered the same by the host itself and by the library:", () => {
  test("every failure", async () => {
    const peer = await meet(...failingTools);
    for (const { name, input, text } of failures) {
      const { result } = await onBothPaths(async (path) => {
        const answer = (await peer.ask(callOf(path, name, input))) as Failure;
        for (const block of answer.result.content) block.text = withoutSizes(block.text);
        return answer;
      });
      expect(result).toEqual({ content: [{ type: "text", text }], isError: true });
    }
    const missing = await onBothPaths((path) => peer.ask(callOf(path, "missing")));
    expect(missing).toMatchObject({
      result: { content: [{ text: expect.stringMatching(/^ToolNotFoundError: /) }], isError: true },
    });
  });

  test("progress, then content of every kind", async () => {
    const blocks = [
      content.text("a"),
      content.image(new Uint8Array([1, 2, 3]), "image/png"),
      content.audio("AQID", "audio/wav"),
      content.resource("file:///a", "text of a"),
      content.resourceLink({ uri: "file:///b", name: "b" }),
    ];
    const show = named("show", ({ progress, toolUseId }) => {
      progress({ progress: 1, total: 2, message: `half of ${toolUseId}` });
      progress({ progress: 2, total: 2 });
      return blocks;
    });
    const peer = await meet(show);
    const told = await onBothPaths(async (path) => [
      await peer.ask(callOf(path, "show")),
      await peer.next(),
      await peer.next(),
    ]);
    expect(told).toEqual([
      progressOf({ progress: 1, total: 2, message: "half of toolu_1" }),
      progressOf({ progress: 2, total: 2 }),
      { jsonrpc: "2.0", id: 1, result: { content: JSON.parse(JSON.stringify(blocks)) } },
    ]);
  });

  test("structured content", async () => {
    const weigh = defineTool({
      name: "weigh",
      description: "d",
      input: z.object({}),
      output: z.object({ kg: z.number() }),
      handler: () => ({ kg: 2 }),
    });
    const peer = await meet(weigh);
    const { result } = await onBothPaths(
      async (path) => (await peer.ask(callOf(path, "weigh"))) as { result: unknown },
    );
    expect(result).toEqual({
      content: [{ type: "text", text: '{"kg":2}' }],
      structuredContent: { kg: 2 },
    });
  });

  test("a cancelled call: no answer, and its handler gets the reason", async () => {
    const signals: AbortSignal[] = [];
    const wait = named("wait", ({ signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    const peer = await meet(wait);
    const params = { requestId: 1, reason: "no longer wanted" };
    const reason = await onBothPaths(async (path) => {
      const before = signals.length;
      peer.send(callOf(path, "wait"));
      await expect.poll(() => signals.length).toBe(before + 1);
      const signal = signals[before];
      peer.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
      await expect.poll(() => signal?.aborted).toBe(true);
      // Answers keep their order: one to the call would come first.
      expect(await peer.ask(ping)).toEqual({ jsonrpc: "2.0", id: "ping", result: {} });
      return signal?.reason as unknown;
    });
    expect(reason).toMatchObject({
      code: "aborted",
      message: "The call of wait was cancelled: no longer wanted.",
    });
  });
});
