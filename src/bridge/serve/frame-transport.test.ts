import type { Socket } from "node:net";
import { Server } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { FramePeer } from "../../../test/support/frames.ts";
import { channel } from "../../net/channel.ts";
import { jsonFrames } from "../../net/codec.ts";
import { listen } from "../../net/listen.ts";
import { FrameTransport } from "./frame-transport.ts";
import { OpenRequests } from "./count-open-requests.ts";

const call = (id: number, name: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});

/** The library's server behind the transport, with a tool that answers and one that never does. */
async function connect() {
  const requests = new OpenRequests();
  const seen: string[] = [];
  const closed = Promise.withResolvers<void>();
  const serve = async (socket: Socket): Promise<void> => {
    const frames = channel(socket, jsonFrames);
    const messages = frames[Symbol.asyncIterator]();
    const transport = new FrameTransport(await messages.next(), messages, frames, () =>
      requests.open(),
    );
    const server = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/call", async ({ params }) => {
      seen.push(params.name);
      if (params.name === "never") await new Promise(() => {});
      return { content: [{ type: "text", text: params.name }] };
    });
    await server.connect(transport);
    await transport.closed;
    closed.resolve();
  };
  const listener = await listen({ onConnection: (socket) => void serve(socket) });
  onTestFinished(() => listener.close());
  const peer = await FramePeer.connect(listener.path);
  onTestFinished(() => peer.channel.close());
  return { requests, peer, seen, closed: closed.promise };
}

/** True when no request is open, without waiting for it. */
async function isAllAnswered(requests: OpenRequests): Promise<boolean> {
  const later = new Promise<false>((resolve) => setImmediate(resolve, false));
  return Promise.race([requests.allAnswered().then(() => true), later]);
}

test("a request is open until its answer is on its way", async () => {
  const { requests, peer, seen } = await connect();
  expect(await peer.ask(call(1, "echo"))).toMatchObject({ id: 1, result: {} });
  expect(await isAllAnswered(requests)).toBe(true);
  peer.send(call(2, "never"));
  await expect.poll(() => seen).toEqual(["echo", "never"]);
  expect(await isAllAnswered(requests)).toBe(false);
});

test("a cancelled call is not open and gets no answer", async () => {
  const { requests, peer, seen } = await connect();
  peer.send(call(1, "never"));
  await expect.poll(() => seen).toEqual(["never"]);
  const params = { requestId: 1 };
  peer.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  await requests.allAnswered();
  expect(await peer.ask(call(2, "echo"))).toMatchObject({ id: 2 });
});

test("the requests of a peer that leaves are no longer open", async () => {
  const { requests, peer, seen, closed } = await connect();
  peer.send(call(1, "never"));
  peer.send(call(1, "never"));
  await expect.poll(() => seen).toHaveLength(2);
  await peer.channel.close();
  await closed;
  expect(await isAllAnswered(requests)).toBe(true);
});
