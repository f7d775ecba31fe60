import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ToolContext } from "../../src/bridge/tool/define-tool.ts";
import { defineTool } from "../../src/bridge/tool/define-tool.ts";
import { createToolHost } from "../../src/bridge/host/tool-host.ts";
import { tempDir } from "../support/temp-dir.ts";
import { HostProcess } from "./fixtures/bridge-host-process.ts";
import { bridgeFile, writeSchema } from "./fixtures/bridge-process.ts";

interface Stage {
  /** Of the bridge, behind the name of its file. */
  args: string[];
  cancelled: () => Promise<unknown>;
  changeTools: (client: Client) => void;
  /** Lets the tool `progress` end after its reports. */
  goOn: (client: Client) => void;
}

const tool = (
  name: string,
  handler: (args: Record<string, unknown>, context: ToolContext) => unknown,
) => defineTool({ name, description: "", input: { type: "object" }, handler });

const text = (value: string) => [{ type: "text", text: value }];

/** A host of frames alone. */
async function fixtureHost(): Promise<Stage> {
  const directory = tempDir();
  const socket = join(directory, "a.sock");
  const names = ["who", "hold", "progress"];
  const schema = writeSchema(
    directory,
    names.map((name) => ({ name })),
  );
  const host = await HostProcess.own(socket);
  return {
    args: [socket, schema, "own"],
    cancelled: () =>
      host.until("received", {
        fits: ({ message }) => message.method === "notifications/cancelled",
      }),
    changeTools: (client) => {
      writeSchema(directory, [{ name: "other" }]);
      void client.notification({ method: "notifications/change_tools" });
    },
    goOn: (client) => void client.notification({ method: "notifications/go_on" }),
  };
}

/** The real one. */
async function ourHost(): Promise<Stage> {
  const [cancelled, reported] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const host = createToolHost({
    name: "test",
    tools: [
      tool("who", () => "first"),
      tool("hold", (_, { signal }) => {
        signal.addEventListener("abort", () => cancelled.resolve());
        return cancelled.promise;
      }),
      tool("progress", async ({ wait }, { progress }) => {
        for (const step of [1, 2, 3]) progress({ progress: step });
        if (wait) await reported.promise;
        return "done";
      }),
    ],
  });
  onTestFinished(() => host.stop());
  await host.start();
  return {
    args: host.mcpServerConfig().args.slice(1),
    cancelled: () => cancelled.promise,
    changeTools: () => host.replaceTools([tool("other", () => "")]),
    goOn: () => reported.resolve(),
  };
}

async function connect(args: string[], mode: "legacy" | "auto" = "legacy") {
  const changed = Promise.withResolvers<string[] | undefined>();
  const client = new Client(
    { name: "official", version: "1" },
    {
      // Longer than a test may take: a question that is not answered at once is a failure.
      versionNegotiation: { mode, probe: { timeoutMs: 600_000 } },
      listChanged: {
        tools: { onChanged: (_, tools) => changed.resolve(tools?.map(({ name }) => name)) },
      },
    },
  );
  const errors: Error[] = [];
  Object.assign(client, { onerror: (error: Error) => errors.push(error) });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bridgeFile, ...args],
  });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, errors, changed: changed.promise };
}

const hosts = [
  { name: "a host made of frames", start: fixtureHost },
  { name: "our host", start: ourHost },
];

describe.each(hosts)("the official client, on $name", ({ start }) => {
  it("[IPC-11] [IPC-12] [IPC-33] initialises, pings, lists and calls", async () => {
    const { args } = await start();
    const { client, errors } = await connect(args);
    expect(client.getServerVersion()?.name).toBe("agent-switchboard bridge");
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
    await client.ping();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(["hold", "progress", "who"]);
    const calls = Array.from({ length: 20 }, () => client.callTool({ name: "who" }));
    for (const { content } of await Promise.all(calls))
      expect(content).toEqual([{ type: "text", text: "first" }]);
    expect(errors).toEqual([]);
  });

  it("[IPC-13] falls back at once when it asks for a newer protocol first", async () => {
    const { args } = await start();
    const { client } = await connect(args, "auto");
    await expect(client.callTool({ name: "who" })).resolves.toMatchObject({
      content: [{ text: "first" }],
    });
  });

  it("[IPC-34] [IPC-36] cancels, and the next call works", async () => {
    const { args, cancelled } = await start();
    const { client, errors } = await connect(args);
    const abort = new AbortController();
    const call = client.callTool({ name: "hold" }, { signal: abort.signal });
    // The bridge passes both on in order, so the host has the call when it has this answer.
    await client.callTool({ name: "who" });
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await cancelled();
    await expect(client.callTool({ name: "who" })).resolves.toBeDefined();
    expect(errors).toEqual([]);
  });

  it("[IPC-35] gets progress", async () => {
    const { args, goOn } = await start();
    const { client } = await connect(args);
    const seen: number[] = [];
    // The client drops reports that are in its hands when the result comes.
    const onprogress = ({ progress }: { progress: number }): void => {
      if (seen.push(progress) === 3) goOn(client);
    };
    await client.callTool({ name: "progress", arguments: { wait: true } }, { onprogress });
    expect(seen).toEqual([1, 2, 3]);
  });

  it("[IPC-19] [IPC-35] learns that the tools have changed, and sees the new ones", async () => {
    const { args, changeTools } = await start();
    const { client, changed } = await connect(args);
    await client.callTool({ name: "who" });
    changeTools(client);
    expect(await changed).toEqual(["other"]);
  });
});

describe("the official client, in contract mode", () => {
  it("[IPC-21] [IPC-24] on a foreign parent: initialises, pings, lists, calls", async () => {
    const directory = tempDir();
    const [socket, schema] = [join(directory, "a.sock"), join(directory, "schema.json")];
    await HostProcess.foreign(socket, schema);
    const { client, errors } = await connect([socket, schema]);
    await client.ping();
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("add");
    const calls = [1, 2, 3].map((a) => client.callTool({ name: "add", arguments: { a, b: 1 } }));
    const results = await Promise.all(calls);
    expect(results.map(({ content }) => content)).toEqual([text("2"), text("3"), text("4")]);
    expect(await client.callTool({ name: "fail" })).toEqual({
      content: text("ValueError: the number is odd"),
      isError: true,
    });
    expect(errors).toEqual([]);
  });

  it("[IPC-6] [IPC-24] on our host", async () => {
    const { args } = await ourHost();
    const { client, errors } = await connect(args.slice(0, 2));
    await client.listTools();
    const calls = ["who", "progress"].map((name) => client.callTool({ name }));
    const results = await Promise.all(calls);
    expect(results.map(({ content }) => content)).toEqual([text("first"), text("done")]);
    expect(errors).toEqual([]);
  });
});
