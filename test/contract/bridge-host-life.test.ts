import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { tempDir } from "../support/temp-dir.ts";
import { listen } from "../../src/net/listen.ts";
import { probeSocket } from "../../src/net/probe-socket.ts";
import { parseToolSchemaFile } from "../../src/wire/tool-schema-file.ts";
import { defineTool } from "../../src/bridge/tool/define-tool.ts";
import { createToolHost } from "../../src/bridge/host/tool-host.ts";
import type { StdioServerConfig } from "../../src/bridge/host/stdio-config.ts";
import { requireBridgeProgram } from "../../src/bridge/host/stdio-config.ts";

const named = (name: string) =>
  defineTool({ name, description: "d", input: z.object({}), handler: () => name });
const tools = ["a", "b", "c"].map(named);
const newHost = (more: { directory?: string } = {}) =>
  createToolHost({ name: "h", tools, ...more });

const filesOf = ({ args }: StdioServerConfig) => ({ socket: args[1]!, schema: args[2]! });
const permissions = (path: string): number => lstatSync(path).mode & 0o777;

function announcedIn(path: string): string[] {
  const checked = parseToolSchemaFile(JSON.parse(readFileSync(path, "utf8")));
  if (!checked.ok) throw checked.error;
  return checked.value.map(({ name }) => name);
}

const wrongState = (message: string) => expect.objectContaining({ code: "host_state", message });

const unwritable = (path: string) => ({
  name: "BridgeStartupError",
  message: expect.stringContaining(`The host cannot write ${path}: `),
});

describe("the life of a host", () => {
  test("is created, started and stopped; stop removes the files", async () => {
    const host = newHost();
    expect(host.state).toBe("created");
    expect(await host.start()).toBe(host);
    expect(host.state).toBe("started");
    const { socket, schema } = filesOf(host.mcpServerConfig());
    expect(await probeSocket(socket)).toEqual({ state: "alive" });
    await host.stop();
    expect(host.state).toBe("stopped");
    expect([socket, schema, dirname(socket)].map(existsSync)).toEqual([false, false, false]);
    await host.stop();
  });

  test("starts once", async () => {
    await using host = newHost();
    const starting = host.start();
    await expect(host.start()).rejects.toEqual(
      wrongState("The tool host h cannot start: it is starting."),
    );
    await starting;
    await expect(host.start()).rejects.toEqual(
      wrongState("The tool host h cannot start: it is started."),
    );
    expect(host.state).toBe("started");
    await host.stop();
    await expect(host.start()).rejects.toEqual(
      wrongState("The tool host h cannot start: it is stopped."),
    );
  });

  test("has a config only while it is started", async () => {
    await using host = newHost();
    expect(() => host.mcpServerConfig()).toThrow(
      wrongState("The tool host h cannot give its config: it is created."),
    );
    await host.start();
    await host.stop();
    expect(() => host.mcpServerConfig()).toThrow(
      wrongState("The tool host h cannot give its config: it is stopped."),
    );
  });

  test("leaves nothing when it is stopped before or during its start", async () => {
    const idle = newHost();
    await idle.stop();
    await expect(idle.start()).rejects.toMatchObject({ code: "host_state" });

    const directory = tempDir();
    const host = newHost({ directory });
    const starting = host.start();
    const stopping = host.stop();
    await expect(starting).rejects.toMatchObject({ code: "host_state" });
    await stopping;
    expect(readdirSync(directory).filter((file) => file.endsWith(".sock"))).toEqual([]);
  });

  test("a host that cannot start is stopped", async () => {
    const directory = tempDir();
    const path = join(directory, "claudecode_ipc_h.sock");
    await using other = await listen({ path, onConnection: () => {} });
    const host = newHost({ directory });
    await expect(host.start()).rejects.toMatchObject({ code: "socket_in_use" });
    expect(host.state).toBe("stopped");
    // Nothing of the one that lives is touched.
    expect(await probeSocket(other.path)).toEqual({ state: "alive" });
    expect(readdirSync(directory)).toEqual([basename(path)]);
  });

  test("several hosts live side by side", async () => {
    await using one = await newHost().start();
    await using two = await newHost().start();
    const [first, second] = [one, two].map((host) => filesOf(host.mcpServerConfig()));
    expect(first).not.toEqual(second);
    await one.stop();
    expect(await probeSocket(second!.socket)).toEqual({ state: "alive" });
    expect(announcedIn(second!.schema)).toEqual(["a", "b", "c"]);
  });
});

describe("its files", () => {
  test("[IPC-1] are private, in a private directory, and named as the contract says", async () => {
    await using host = await newHost().start();
    const { socket, schema } = filesOf(host.mcpServerConfig());
    const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}";
    expect(basename(socket)).toMatch(new RegExp(`^claudecode_ipc_${uuid}\\.sock$`));
    expect(schema).toBe(
      socket.replace("claudecode_ipc_", "claudecode_ipc_schema_").replace(/sock$/, "json"),
    );
    expect([socket, schema, dirname(socket)].map(permissions)).toEqual([0o600, 0o600, 0o700]);
  });

  test("in a chosen directory have stable names, and the schema file stays", async () => {
    const directory = join(tempDir(), "made", "for it");
    const first = await newHost({ directory }).start();
    const config = first.mcpServerConfig();
    const { socket, schema } = filesOf(config);
    expect(readdirSync(directory).sort()).toEqual(
      ["claudecode_ipc_h.sock", "claudecode_ipc_schema_h.json"].sort(),
    );
    expect([directory, socket, schema].map(permissions)).toEqual([0o700, 0o600, 0o600]);
    await first.stop();
    // Sessions that start meanwhile still see the tools.
    expect(readdirSync(directory)).toEqual([basename(schema)]);

    await using second = await createToolHost({
      name: "h",
      tools: [named("d")],
      directory,
    }).start();
    expect(second.mcpServerConfig()).toEqual(config);
    expect(announcedIn(schema)).toEqual(["d"]);
  });

  test("that cannot be written make the start fail, and leave nothing", async () => {
    const directory = tempDir();
    const schema = join(directory, "claudecode_ipc_schema_h.json");
    // No rename gets over a directory.
    mkdirSync(schema);
    await expect(newHost({ directory }).start()).rejects.toMatchObject(unwritable(schema));
    expect(readdirSync(directory)).toEqual([basename(schema)]);

    const file = join(directory, "file");
    writeFileSync(file, "");
    const below = join(file, "below");
    await expect(newHost({ directory: below }).start()).rejects.toMatchObject(unwritable(below));
  });

  test("are never in a place where other users could replace them", async () => {
    const directory = tempDir();
    const refused = {
      code: "bridge_startup",
      hint: expect.stringContaining("no other user can write to"),
    };
    // The last is that of /tmp: no other user can remove our file, but any user can take its name once it is gone.
    for (const mode of [0o777, 0o775, 0o722, 0o1777]) {
      chmodSync(directory, mode);
      await expect(newHost({ directory }).start()).rejects.toMatchObject(refused);
    }
    expect(readdirSync(directory)).toEqual([]);
    await using host = await newHost({ directory: join(directory, "below") }).start();
    expect(host.state).toBe("started");
  });

  test("[IPC-17] a list of tools that no bridge would read makes the start fail", async () => {
    const long = defineTool({
      name: "long",
      description: "d".repeat(10_485_760),
      input: z.object({}),
      handler: () => "",
    });
    const host = createToolHost({ name: "h", tools: [long] });
    await expect(host.start()).rejects.toMatchObject({ code: "message_too_large" });
  });

  test("that were removed make a change of tools fail, and nothing has changed", async () => {
    await using host = await newHost().start();
    const { schema } = filesOf(host.mcpServerConfig());
    rmSync(dirname(schema), { recursive: true });
    expect(() => host.replaceTools([named("d")])).toThrow(`The host cannot write ${schema}: `);
    expect(() => host.filterTools(["d"])).toThrow("The tools are: a, b, c.");
  });
});

describe("the config", () => {
  test("starts the bridge on this Node with cleared variables, and holds no secret", async () => {
    await using host = await newHost().start();
    const config = host.mcpServerConfig();
    const { socket, schema } = filesOf(config);
    expect(config).toEqual({
      type: "stdio",
      command: process.execPath,
      args: [expect.stringMatching(/\/dist\/bridge\/child\.cjs$/), socket, schema, "own"],
      env: expect.objectContaining({ NODE_OPTIONS: "" }),
      alwaysLoad: true,
    });
    expect(existsSync(config.args[0]!)).toBe(true);
    expect(JSON.parse(JSON.stringify(config))).toEqual(config);
  });

  test("names a program that must exist", () => {
    expect(() => requireBridgeProgram("/nowhere/child.cjs")).toThrow(
      expect.objectContaining({
        name: "BridgeStartupError",
        message: "The bridge process is missing: there is no file /nowhere/child.cjs.",
      }),
    );
  });
});

describe("other tools", () => {
  test("are announced together with what can be called, before and after the start", async () => {
    await using host = newHost();
    host.filterTools(["b", "c"]);
    await host.start();
    const { schema } = filesOf(host.mcpServerConfig());
    expect(announcedIn(schema)).toEqual(["b", "c"]);
    host.filterTools(["a"]);
    expect(announcedIn(schema)).toEqual(["a"]);
    host.filterTools();
    expect(announcedIn(schema)).toEqual(["a", "b", "c"]);
    host.replaceTools([named("d"), named("e")]);
    host.filterTools(["e"]);
    expect(announcedIn(schema)).toEqual(["e"]);
    host.filterTools([]);
    expect(announcedIn(schema)).toEqual([]);
  });

  test("that cannot be offered change nothing", async () => {
    await using host = await newHost().start();
    const { schema } = filesOf(host.mcpServerConfig());
    expect(() => host.filterTools(["a", "x"])).toThrow(
      expect.objectContaining({
        name: "ToolNotFoundError",
        message: 'There is no tool "x". The tools are: a, b, c.',
      }),
    );
    expect(() => host.replaceTools([named("d"), named("d")])).toThrow("Two tools are named d.");
    expect(announcedIn(schema)).toEqual(["a", "b", "c"]);
    host.filterTools(["a"]);
    await host.stop();
    expect(() => host.filterTools(["a"])).toThrow(
      wrongState("The tool host h cannot offer other tools: it is stopped."),
    );
  });

  test("are loaded at once, unless their author says otherwise", async () => {
    const hidden = defineTool({
      name: "hidden",
      description: "d",
      input: z.object({}),
      meta: { "anthropic/alwaysLoad": false, more: 1 },
      handler: () => null,
    });
    await using host = await createToolHost({ name: "h", tools: [named("a"), hidden] }).start();
    const { schema } = filesOf(host.mcpServerConfig());
    const written = JSON.parse(readFileSync(schema, "utf8")) as { _meta: object }[];
    expect(written.map(({ _meta: meta }) => meta)).toEqual([
      { "anthropic/alwaysLoad": true },
      { "anthropic/alwaysLoad": false, more: 1 },
    ]);
  });
});

test("createToolHost refuses options that cannot work", () => {
  expect(() => createToolHost({ name: "a b", tools })).toThrow(
    '"a b" cannot be the name of a tool host.',
  );
  // Claude Code would not know where the host's name ends.
  expect(() => createToolHost({ name: "a__b", tools })).toThrow('"a__b" cannot be the name');
  expect(() => createToolHost({ name: "h", tools: [...tools, named("a")] })).toThrow("Two tools");
  const odd = { name: "h", tools, transport: "http" } as never;
  expect(() => createToolHost(odd)).toThrow('There is no transport "http".');
  const bare = { name: "h", tools, transport: "sdk" } as never;
  expect(() => createToolHost(bare)).toThrow("The transport sdk needs the factory sdkServer.");
});
