import type { Socket } from "node:net";
import { Server } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { FramePeer } from "../../../test/support/frames.ts";
import { channel } from "../../net/channel.ts";
import { jsonFrames } from "../../net/codec.ts";
import { listen } from "../../net/listen.ts";
import { FrameTransport } from "./frame-transport.ts";
import { Owed } from "./owed.ts";

const call = (id: number, name: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: {} },
});

/** The library's server behind the transport, with a tool that answers and one that never does. */
async function connect() {
  const owed = new Owed();
  const seen: string[] = [];
  const closed = Promise.withResolvers<void>();
  const serve = async (socket: Socket): Promise<void> => {
    const frames = channel(socket, jsonFrames);
    const messages = frames[Symbol.asyncIterator]();
    const transport = new FrameTransport(await messages.next(), messages, frames, () => owed.owe());
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
  return { owed, peer, seen, closed: closed.promise };
}

/** True when nothing is owed, without waiting for it. */
async function isPaid(owed: Owed): Promise<boolean> {
  const later = new Promise<false>((resolve) => setImmediate(resolve, false));
  return Promise.race([owed.none().then(() => true), later]);
}

test("an answer is owed from the request on until it is on its way", async () => {
  const { owed, peer, seen } = await connect();
  expect(await peer.ask(call(1, "echo"))).toMatchObject({ id: 1, result: {} });
  expect(await isPaid(owed)).toBe(true);
  peer.send(call(2, "never"));
  await expect.poll(() => seen).toEqual(["echo", "never"]);
  expect(await isPaid(owed)).toBe(false);
});

test("a call that is cancelled is owed no answer, and gets none", async () => {
  const { owed, peer, seen } = await connect();
  peer.send(call(1, "never"));
  await expect.poll(() => seen).toEqual(["never"]);
  const params = { requestId: 1 };
  peer.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  await owed.none();
  expect(await peer.ask(call(2, "echo"))).toMatchObject({ id: 2 });
});

test("a peer that leaves is owed nothing", async () => {
  const { owed, peer, seen, closed } = await connect();
  peer.send(call(1, "never"));
  peer.send(call(1, "never"));
  await expect.poll(() => seen).toHaveLength(2);
  await peer.channel.close();
  await closed;
  expect(await isPaid(owed)).toBe(true);
});
