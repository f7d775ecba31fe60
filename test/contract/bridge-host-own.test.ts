import { Client } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Tool, ToolContext, ToolHost } from "../../src/bridge/index.ts";
import { content, createToolHost, defineTool } from "../../src/bridge/index.ts";
import { call, connectClient } from "../support/bridge-client.ts";
import { failingTools, failures, withoutSizes } from "../support/failing-tools.ts";
import { tempDir } from "../support/temp-dir.ts";

// Our host, our bridge process, and the official client in the place of the CLI.

const none = z.object({});
const named = (name: string, handler: (context: ToolContext) => unknown = () => name): Tool =>
  defineTool({
    name,
    description: `The tool ${name}.`,
    input: none,
    handler: (_args, context) => handler(context),
  });

const startHost = (...tools: Tool[]): Promise<ToolHost> =>
  createToolHost({ name: "h", tools }).start();

describe("a session", () => {
  test("sees every tool with everything its author specified", async () => {
    const tool = defineTool({
      name: "weigh",
      description: "Weighs.",
      title: "Weigh a thing",
      input: z.object({ thing: z.string().describe("What to weigh.") }),
      output: z.object({ kg: z.number() }),
      annotations: { readOnlyHint: true },
      handler: () => ({ kg: 2 }),
    });
    await using host = await startHost(tool);
    const client = await connectClient(host.mcpServerConfig());
    const { tools } = await client.listTools();
    expect(tools).toEqual([
      {
        name: "weigh",
        description: "Weighs.",
        title: "Weigh a thing",
        inputSchema: {
          type: "object",
          properties: { thing: { type: "string", description: "What to weigh." } },
          required: ["thing"],
        },
        outputSchema: {
          type: "object",
          properties: { kg: { type: "number" } },
          required: ["kg"],
          additionalProperties: false,
        },
        annotations: { readOnlyHint: true },
        _meta: { "anthropic/alwaysLoad": true },
      },
    ]);
    expect(await client.callTool({ name: "weigh", arguments: { thing: "cat" } })).toEqual({
      content: [{ type: "text", text: '{"kg":2}' }],
      structuredContent: { kg: 2 },
    });
  });

  test("gets content of every kind unchanged", async () => {
    const blocks = [
      content.text("a"),
      content.image(new Uint8Array([1, 2, 3]), "image/png"),
      content.audio("AQID", "audio/wav"),
      content.resource("file:///a", "text of a"),
      content.resourceLink({ uri: "file:///b", name: "b" }),
    ];
    await using host = await startHost(named("show", () => blocks));
    const client = await connectClient(host.mcpServerConfig());
    expect((await client.callTool({ name: "show" })).content).toEqual(
      JSON.parse(JSON.stringify(blocks)),
    );
  });

  test("tells the handler the model's id of the call", async () => {
    await using host = await startHost(named("id", ({ toolUseId }) => toolUseId ?? "unknown"));
    const client = await connectClient(host.mcpServerConfig());
    const meta = { _meta: { "claudecode/toolUseId": "toolu_1" } };
    expect(await client.callTool({ name: "id", ...meta })).toEqual({
      content: [{ type: "text", text: "toolu_1" }],
    });
    expect(await call(client, "id")).toBe("unknown");
  });

  test("[IPC-33] has its calls run side by side", async () => {
    const all = Promise.withResolvers<string>();
    let running = 0;
    const meet = named("meet", () => {
      running += 1;
      if (running === 16) all.resolve("met");
      return all.promise;
    });
    await using host = await startHost(meet);
    const client = await connectClient(host.mcpServerConfig());
    const calls = Array.from({ length: 16 }, () => call(client, "meet"));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["met"]));
  });

  test("[IPC-34] can cancel one call while another goes on, and call again", async () => {
    const contexts: ToolContext[] = [];
    const held = Promise.withResolvers<string>();
    await using host = await startHost(
      named("hold", (context) => {
        contexts.push(context);
        return held.promise;
      }),
    );
    const client = await connectClient(host.mcpServerConfig());
    const leave = new AbortController();
    const left = client.callTool({ name: "hold" }, { signal: leave.signal });
    await expect.poll(() => contexts.length).toBe(1);
    const stayed = call(client, "hold");
    await expect.poll(() => contexts.length).toBe(2);
    leave.abort("no longer wanted");
    await expect(left).rejects.toThrow("no longer wanted");
    await expect.poll(() => contexts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(contexts[0]!.signal.reason).toMatchObject({
      code: "aborted",
      message: "The call of hold was cancelled: no longer wanted.",
    });
    held.resolve("here");
    expect(await stayed).toBe("here");
    expect(await call(client, "hold")).toBe("here");
  });

  test("[IPC-35] sees progress if it asks for it", async () => {
    const seen: unknown[] = [];
    const [told, unasked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const work = named("work", async ({ progress }) => {
      progress({ progress: 1, total: 2, message: "half" });
      progress({ progress: 2, total: 2 });
      // The client forgets whom to tell as soon as it has the result.
      await Promise.race([told.promise, unasked.promise]);
      return "done";
    });
    await using host = await startHost(work);
    const client = await connectClient(host.mcpServerConfig());
    const onprogress = (update: unknown): void => {
      if (seen.push(update) === 2) told.resolve();
    };
    await client.callTool({ name: "work" }, { onprogress });
    expect(seen).toEqual([
      { progress: 1, total: 2, message: "half" },
      { progress: 2, total: 2 },
    ]);
    unasked.resolve();
    expect(await call(client, "work")).toBe("done");
  });

  test("[IPC-20] [IPC-35] learns of changed tools, and can call only the offered ones", async () => {
    await using host = await startHost(named("a"), named("b"));
    const changes: string[][] = [];
    const onChanged = (_error: unknown, tools: { name: string }[] | null): void =>
      void changes.push((tools ?? []).map(({ name }) => name));
    const client = await connectClient(
      host.mcpServerConfig(),
      new Client(
        { name: "test", version: "1" },
        { listChanged: { tools: { onChanged, debounceMs: 0 } } },
      ),
    );
    expect(await call(client, "a")).toBe("a");
    host.filterTools(["b"]);
    await expect.poll(() => changes).toEqual([["b"]]);
    expect(await call(client, "a")).toContain('There is no tool "a". The tools are: b.');
    host.replaceTools([named("c"), named("a", () => "new a")]);
    await expect.poll(() => changes).toEqual([["b"], ["c", "a"]]);
    expect(await call(client, "a")).toBe("new a");
  });
});

test("[IPC-45] [IPC-46] [IPC-47] [IPC-48] [IPC-49] each failure arrives as the text that the docs promise, and the next call works", async () => {
  await using host = await startHost(named("works"), ...failingTools);
  const client = await connectClient(host.mcpServerConfig());
  for (const { name, input, text } of failures) {
    expect(withoutSizes(await call(client, name, input))).toBe(`failed: ${text}`);
    expect(await call(client, "works")).toBe("works");
  }
  const names = ["works", ...failingTools.map((tool) => tool.name)].join(", ");
  expect(await call(client, "missing")).toBe(
    `failed: ToolNotFoundError: There is no tool "missing". The tools are: ${names}. Call one of the tools that the message lists.`,
  );
  expect(await call(client, "works")).toBe("works");
});

describe("a host that stops", () => {
  test("answers open calls first, and its successor serves the same session", async () => {
    const directory = tempDir();
    const started = Promise.withResolvers<ToolContext>();
    const forever = named("wait", (context) => {
      started.resolve(context);
      return new Promise(() => {});
    });
    const first = await createToolHost({ name: "h", tools: [forever], directory }).start();
    const client = await connectClient(first.mcpServerConfig());
    const open = call(client, "wait");
    const { signal } = await started.promise;
    await first.stop();
    expect(signal.aborted).toBe(true);
    expect(await open).toBe(
      "failed: IPCConnectionError: The tool host h was stopped. The call may have run. Check its effect, and go on without this tool until its program runs again.",
    );
    expect(await call(client, "wait")).toMatch(/^failed: IPCConnectionError: .*claudecode_ipc_h/);

    const tools = [named("wait", () => "served by the next")];
    await using second = await createToolHost({ name: "h", tools, directory }).start();
    expect(second.state).toBe("started");
    expect(await call(client, "wait")).toBe("served by the next");
  });

  test("does not wait for a handler that never ends, and answers all of many calls", async () => {
    let running = 0;
    const forever = named("wait", () => {
      running += 1;
      return new Promise(() => {});
    });
    await using host = await startHost(forever);
    const client = await connectClient(host.mcpServerConfig());
    const calls = Array.from({ length: 50 }, () => call(client, "wait"));
    await expect.poll(() => running).toBe(50);
    await host.stop();
    const answers = await Promise.all(calls);
    expect(answers.every((answer) => answer.includes("The tool host h was stopped."))).toBe(true);
  });
});

test("hosts of one process do not disturb each other, with the same names and while one of them stops", async () => {
  const held = Promise.withResolvers<string>();
  const contexts: ToolContext[] = [];
  const hold = (context: ToolContext) => {
    contexts.push(context);
    return held.promise;
  };
  await using one = await startHost(
    named("which", () => "one"),
    named("hold", hold),
  );
  await using two = await startHost(
    named("which", () => "two"),
    named("hold", hold),
  );
  const [atOne, atTwo] = [
    await connectClient(one.mcpServerConfig()),
    await connectClient(two.mcpServerConfig()),
  ];
  expect(await Promise.all([atOne, atTwo].map((client) => call(client, "which")))).toEqual([
    "one",
    "two",
  ]);
  const open = call(atTwo, "hold");
  await expect.poll(() => contexts.length).toBe(1);
  const lost = call(atOne, "hold");
  await expect.poll(() => contexts.length).toBe(2);
  await one.stop();
  expect(await lost).toMatch(/^failed: IPCConnectionError: The tool host h was stopped/);
  expect(contexts.map(({ signal }) => signal.aborted)).toEqual([false, true]);
  expect(await call(atTwo, "which")).toBe("two");
  held.resolve("held all the time");
  expect(await open).toBe("held all the time");
});

test("large results arrive whole, many at once, and the largest to the byte", async () => {
  const repeat = defineTool({
    name: "repeat",
    description: "d",
    input: z.object({ n: z.number() }),
    handler: ({ n }) => "x".repeat(n),
  });
  await using host = await startHost(repeat);
  const client = await connectClient(host.mcpServerConfig());
  const nineMegabytes = 9_000_000;
  const calls = Array.from({ length: 5 }, () => call(client, "repeat", { n: nineMegabytes }));
  const lengths = (await Promise.all(calls)).map(({ length }) => length);
  expect(lengths).toEqual(Array.from({ length: 5 }, () => nineMegabytes));

  const largest = await largestThatFits(client);
  expect(await call(client, "repeat", { n: largest })).toHaveLength(largest);
  expect(await call(client, "repeat", { n: largest + 1 })).toContain("IPCMessageSizeError");
});

/** The envelope takes some bytes of the limit; how many, the refusal of a result of that size tells. */
async function largestThatFits(client: Client): Promise<number> {
  const limit = 10_485_760 - 65_536;
  const refusal = await call(client, "repeat", { n: limit });
  const size = Number(/at least (\d+) bytes/.exec(refusal)?.[1]);
  return limit - (size - limit);
}

describe("twenty sessions on one host", () => {
  test("all see all tools, and each gets its own answers", async () => {
    const echo = defineTool({
      name: "echo",
      description: "d",
      input: z.object({ text: z.string() }),
      handler: async ({ text }) => text,
    });
    await using host = await startHost(echo, named("b"), named("c"));
    const config = host.mcpServerConfig();
    const clients = await Promise.all(Array.from({ length: 20 }, () => connectClient(config)));
    const answers = clients.map(async (client, index) => {
      const { tools } = await client.listTools();
      const texts = Array.from({ length: 10 }, (_, n) => `${index}/${n}`);
      const echoes = await Promise.all(texts.map((text) => call(client, "echo", { text })));
      return { tools: tools.map(({ name }) => name), own: echoes.join() === texts.join() };
    });
    const all = await Promise.all(answers);
    expect(all).toEqual(all.map(() => ({ tools: ["echo", "b", "c"], own: true })));
    expect(all).toHaveLength(20);
  });
});
