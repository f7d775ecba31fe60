import { rmSync, writeFileSync } from "node:fs";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { encodeJson } from "../../wire/json-payload.ts";
import { OfferedTools, schemasOf } from "../host/offered-tools.ts";
import { serveConnection } from "../serve/serve-connection.ts";
import { defineTool } from "../tool/define-tool.ts";
import { ToolSet } from "../tool/tool-set.ts";
import type { RpcRequest } from "./read-message.ts";
import { readMessage } from "./read-message.ts";
import { Output } from "./write-to-stdout.ts";
import { OwnMode } from "./own-mode.ts";
import { ToolList } from "./announced-tools.ts";

const who = { name: "who", description: "d", input: z.object({}), handler: () => "here" };
const tools = new ToolSet([defineTool({ ...who, idempotent: true })]);

/** A host that can be killed and started again in its place. */
class Host {
  readonly path: string;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  constructor(path: string) {
    this.path = path;
    onTestFinished(() => this.kill());
  }

  async start(): Promise<void> {
    const offer = new OfferedTools("h", tools);
    const server = createServer((socket) => {
      this.#sockets.add(socket);
      void serveConnection(socket, offer);
    });
    await new Promise<void>((resolve) => server.listen(this.path, resolve));
    this.#server = server;
  }

  kill(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    this.#server?.close();
    rmSync(this.path, { force: true });
  }
}

interface Line {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: { content: { text: string }[]; isError?: boolean };
}

function stage(patienceMs?: number) {
  const directory = tempDir();
  const [path, schema] = [join(directory, "a.sock"), join(directory, "schema.json")];
  writeFileSync(schema, JSON.stringify(schemasOf(tools)));
  const stdout = new PassThrough();
  const lines: Line[] = [];
  stdout.on("data", (chunk: Buffer) => {
    for (const line of String(chunk).trim().split("\n")) lines.push(JSON.parse(line) as Line);
  });
  let now = 0;
  const clock = { patienceMs, nowMs: () => now };
  const mode = new OwnMode(path, new ToolList(schema), new Output(stdout), clock);
  let next = 0;
  const call = (): Promise<Line> => {
    next += 1;
    const id = next;
    mode.call(callOf(id));
    return vi.waitUntil(() => lines.find((line) => line.id === id), { timeout: 20_000 });
  };
  const pass = (ms: number): void => void (now += ms);
  return { host: new Host(path), lines, call, pass };
}

function callOf(id: number): RpcRequest {
  const params = { name: "who", arguments: {}, _meta: { progressToken: `token-${id}` } };
  const read = readMessage(encodeJson({ jsonrpc: "2.0", id, method: "tools/call", params }));
  if (!read.ok || read.message.kind !== "request") throw new Error("That is no request.");
  return read.message;
}

const textOf = ({ result }: Line): string => result?.content[0]?.text ?? "";

test("[IPC-38] a call made long after the host was killed waits for the next host, and reports progress", async () => {
  const { host, lines, call, pass } = stage(60_000);
  await host.start();
  expect(textOf(await call())).toBe("here");
  host.kill();
  const early = call();
  const isTold = (): boolean => lines.some(({ method }) => method === "notifications/progress");
  await vi.waitUntil(
    () => {
      pass(100);
      return isTold();
    },
    { timeout: 20_000, interval: 5 },
  );
  const told = lines.find(({ method }) => method !== undefined)?.params;
  expect(told).toMatchObject({ progressToken: "token-2", progress: expect.any(Number) });
  expect(told?.["message"]).toMatch(
    /^The program that offers the tool is not running\. The call is waiting/,
  );
  pass(35_000);
  const late = call();
  await host.start();
  expect([textOf(await early), textOf(await late)]).toEqual(["here", "here"]);
});

test("[IPC-38] [IPC-40] a call fails with a typed error when the host is not back in time, and later calls fail at once", async () => {
  const { host, call, pass } = stage(60_000);
  await host.start();
  await call();
  host.kill();
  const passing = setInterval(() => pass(1000), 10);
  onTestFinished(() => clearInterval(passing));
  const failed = await call();
  expect(failed.result?.isError).toBe(true);
  expect(textOf(failed)).toMatch(/^IPCConnectionError: .* The host was not back within 60 s\./);
  expect(textOf(await call())).toMatch(/^IPCConnectionError/);
  await host.start();
  expect(textOf(await call())).toBe("here");
});

test("[IPC-38] a bridge that starts while the host is away waits as long as one that has lost its host", async () => {
  const { host, call } = stage();
  const waiting = call();
  await host.start();
  expect(textOf(await waiting)).toBe("here");
});
