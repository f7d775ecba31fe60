import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { encodeJson } from "../../wire/json-payload.ts";
import { OfferedTools, schemasOf } from "../host/offered-tools.ts";
import { serveConnection } from "../serve/serve-connection.ts";
import { defineTool } from "../tool/define-tool.ts";
import { ToolSet } from "../tool/tool-set.ts";
import { ContractMode } from "./contract-mode.ts";
import type { RpcRequest } from "./read-message.ts";
import { readMessage } from "./read-message.ts";
import { Output } from "./write-to-stdout.ts";
import { OwnMode } from "./own-mode.ts";
import { ToolList } from "./announced-tools.ts";

/** A host that listens on, whatever becomes of a connection. */
async function serve() {
  const tool = { name: "who", description: "d", input: z.object({}), handler: () => "here" };
  const tools = new ToolSet([defineTool(tool)]);
  const directory = tempDir();
  const [path, schema] = [join(directory, "a.sock"), join(directory, "schema.json")];
  writeFileSync(schema, JSON.stringify(schemasOf(tools)));
  const offer = new OfferedTools("h", tools);
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket);
    void serveConnection(socket, offer);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  onTestFinished(() => accepted.forEach((socket) => socket.destroy()));
  return { path, schema, accepted };
}

/** The first socket that a client makes from now on. */
function nextDialled(): Promise<Socket> {
  return new Promise((resolve) => {
    const note = (message: unknown): void => {
      unsubscribe("net.client.socket", note);
      resolve((message as { socket: Socket }).socket);
    };
    subscribe("net.client.socket", note);
  });
}

function callOf(id: number): RpcRequest {
  const params = { name: "who", arguments: {} };
  const read = readMessage(encodeJson({ jsonrpc: "2.0", id, method: "tools/call", params }));
  if (!read.ok || read.message.kind !== "request") throw new Error("That is no request.");
  return read.message;
}

test.each(["own", "contract"])(
  "[IPC-42] a call that comes as the connection ends goes over a new one, in %s mode",
  async (kind) => {
    const { path, schema, accepted } = await serve();
    const stdout = new PassThrough();
    const lines = stdout[Symbol.asyncIterator]();
    const nextAnswer = async (): Promise<unknown> =>
      JSON.parse(String((await lines.next()).value as Buffer));
    const output = new Output(stdout);
    const mode =
      kind === "own"
        ? new OwnMode(path, new ToolList(schema), output)
        : new ContractMode(path, new ToolList(schema), output);

    const dialled = nextDialled();
    mode.call(callOf(1));
    const result = { content: [{ type: "text", text: "here" }] };
    expect(await nextAnswer()).toMatchObject({ id: 1, result });
    const socket = await dialled;
    // The end has been seen then, but the socket is not yet closed.
    socket.once("end", () => queueMicrotask(() => mode.call(callOf(2))));
    accepted[0]?.destroy();
    expect(await nextAnswer()).toMatchObject({ id: 2, result });
    expect(accepted).toHaveLength(2);
  },
);
