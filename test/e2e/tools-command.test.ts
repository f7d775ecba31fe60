import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import type { StdioServerConfig } from "../../src/bridge/index.ts";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { call, connectClient } from "../support/bridge-client.ts";
import { setStage } from "../support/rehearsed.ts";
import { tempDir } from "../support/temp-dir.ts";

const run = promisify(execFile);
const switchboard = join(import.meta.dirname, "../../bin/switchboard.js");
const bridge = join(import.meta.dirname, "../../dist/bridge/index.js");

/** A file as a user writes it: with types, and with state of its own. */
function writeTools(name = "counter.ts"): string {
  const file = join(tempDir(), name);
  writeFileSync(
    file,
    `import { defineTool, type Tool } from ${JSON.stringify(bridge)};
     interface Step { by: number }
     let count: number = 0;
     const input = { type: "object", properties: { by: { type: "number" } }, required: ["by"] };
     const handler = ({ by }: Step): string => \`count is \${(count += by)}\`;
     export const increase: Tool = defineTool({ name: "increase", description: "Counts.", input, handler });`,
  );
  return file;
}

/** The command at work, with what it has printed so far. */
function serve(...args: string[]) {
  const child = spawn(process.execPath, [switchboard, "tools", ...args]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].on("data", (chunk) => (printed[stream] += String(chunk)));
  return { child, printed, exited: once(child, "exit") };
}

interface ConfigFile {
  mcpServers: Record<string, StdioServerConfig>;
}

const socketIn = ({ mcpServers }: ConfigFile): string => Object.values(mcpServers)[0]!.args[1]!;

test("a TypeScript file's functions are tools of the real CLI under its name, and leave nothing behind", async () => {
  const stage = await setStage({
    rules: [
      { when: { user: "count" }, tools: [{ name: "mcp__my_counter__increase", input: { by: 2 } }] },
      {
        when: { tool_result: "mcp__my_counter__increase", turn: 2 },
        tools: [{ name: "mcp__my_counter__increase", input: { by: 40 } }],
      },
      { when: { tool_result: "mcp__my_counter__increase" }, text: "It says: ${tool_result}" },
    ],
  });
  const claude = [locateCli(), "-p", "count", "--allowedTools", "mcp__my_counter"];
  const TMPDIR = tempDir();
  const { stdout } = await run(
    process.execPath,
    [switchboard, "tools", writeTools("my.counter.ts"), "--", ...claude],
    { cwd: stage.cwd, env: { ...process.env, ...stage.env, TMPDIR } },
  );
  expect(stdout.trim()).toBe("It says: count is 42");
  expect(readdirSync(TMPDIR).filter((name) => name.startsWith("switchboard-"))).toEqual([]);
});

test.each(["tools.js", "tools.cjs"])(
  "%s with require() finds our packages in a folder where nothing is installed",
  async (name) => {
    const file = join(tempDir(), name);
    writeFileSync(
      file,
      `const { defineTool } = require("agent-switchboard/bridge");
       const { z } = require("zod");
       const input = z.object({});
       exports.greet = defineTool({ name: "greet", description: "Greets.", input, handler: () => "hello" });`,
    );
    const { printed } = serve(file);
    await expect.poll(() => printed.stdout + printed.stderr).toMatch(/\}\n|error/);
    const { mcpServers } = JSON.parse(printed.stdout) as ConfigFile;
    const client = await connectClient(mcpServers["tools"]!);
    expect(await call(client, "greet", {})).toBe("hello");
  },
);

test("`switchboard tools` exits with the command's code, and replaces {} by the config file", async () => {
  const script =
    "const c = JSON.parse(fs.readFileSync(process.argv[1])); process.exit(c.mcpServers.counter ? 7 : 1)";
  const command = [process.execPath, "-e", script, "{}"];
  const failed = run(process.execPath, [switchboard, "tools", writeTools(), "--", ...command]);
  await expect(failed).rejects.toMatchObject({ code: 7 });
});

/** What a command is started with, the path of the config file shown as CONFIG. */
async function argumentsOf(file: string, ...args: string[]): Promise<string[]> {
  const command = [process.execPath, "-p", "JSON.stringify(process.argv.slice(1))", ...args];
  const { stdout } = await run(process.execPath, [switchboard, "tools", file, "--", ...command]);
  return (JSON.parse(stdout) as string[]).map((arg) => (isAbsolute(arg) ? "CONFIG" : arg));
}

test("`switchboard tools` adds the config as an option, also before the end of the command's options", async () => {
  expect(await argumentsOf(writeTools(), "x")).toEqual(["x", "--mcp-config", "CONFIG"]);
  expect(await argumentsOf(writeTools(), "x", "--", "y", "--", "z")).toEqual([
    "x",
    "--mcp-config",
    "CONFIG",
    "--",
    "y",
    "--",
    "z",
  ]);
});

test.each([
  ["my tools (1).ts", "my_tools_1_"],
  ["a__b.c.ts", "a_b_c"],
])("a file named %s serves as %s", async (file, name) => {
  const { child, printed, exited } = serve(writeTools(file));
  await expect.poll(() => printed.stderr).toContain(`The tools of ${name} are served until`);
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
});

test("`switchboard tools` without a command prints the config, serves until it is stopped, and cleans up", async () => {
  const { child, printed, exited } = serve(writeTools(), "--name", "shop");
  await expect.poll(() => printed.stderr).toContain("The tools of shop are served until");
  const config = JSON.parse(printed.stdout) as ConfigFile;
  expect(Object.keys(config.mcpServers)).toEqual(["shop"]);
  const client = await connectClient(config.mcpServers["shop"]!);
  expect(await call(client, "increase", { by: 3 })).toBe("count is 3");
  expect(await call(client, "increase", { by: 4 })).toBe("count is 7");
  child.kill("SIGTERM");
  expect(await exited).toEqual([0, null]);
  expect(existsSync(dirname(socketIn(config)))).toBe(false);
});

test("`switchboard tools` removes the files that a killed one has left, the config file too", async () => {
  const script = "console.log(process.argv[1]); setInterval(() => {}, 1e6)";
  const { child, printed, exited } = serve(
    writeTools(),
    "--",
    process.execPath,
    "-e",
    script,
    "{}",
  );
  await expect.poll(() => printed.stdout).toContain("\n");
  const file = printed.stdout.trim();
  const socket = socketIn(JSON.parse(readFileSync(file, "utf8")) as ConfigFile);
  child.kill("SIGKILL");
  await exited;
  expect(existsSync(file)).toBe(true);
  // As if it had happened a while ago.
  for (const path of [socket, dirname(socket)]) utimesSync(path, 1, 1);
  await run(process.execPath, [switchboard, "tools", writeTools(), "--", "true"]);
  expect([file, dirname(socket)].map(existsSync)).toEqual([false, false]);
});

/** The README's own file of tools, as a person would copy it. */
function readmeTools(): string {
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, source] = /```ts\n(\/\/ my-tools\.ts\n[\s\S]*?)```/.exec(readme) ?? [];
  if (source === undefined) throw new Error("The README has no my-tools.ts.");
  return source;
}

test.each([
  ["an empty folder", undefined],
  ["a folder of npm init -y", { name: "x", version: "1.0.0", type: "commonjs" }],
  ["a folder of ES modules", { name: "x", version: "1.0.0", type: "module" }],
])(
  "the README's file of tools is served from %s, with nothing installed",
  async (_where, manifest) => {
    const file = join(tempDir(), "my-tools.ts");
    writeFileSync(file, readmeTools());
    if (manifest) writeFileSync(join(dirname(file), "package.json"), JSON.stringify(manifest));
    const { printed } = serve(file);
    await expect.poll(() => printed.stderr).toContain("--allowedTools mcp__my-tools");
    expect(printed.stderr).not.toMatch(/warning/i);
    const { mcpServers } = JSON.parse(printed.stdout) as ConfigFile;
    const client = await connectClient(mcpServers["my-tools"]!);
    expect(await call(client, "add_to_total", { amount: 2 })).toBe('{"total":2}');
    expect(await call(client, "add_to_total", { amount: 40 })).toBe('{"total":42}');
  },
);

test("with --directory the next process serves the sessions that the killed one had", async () => {
  const place = ["--directory", join(tempDir(), "place")];
  const file = writeTools();
  const first = serve(file, ...place);
  await expect.poll(() => first.printed.stderr).toContain("are served until");
  const { mcpServers } = JSON.parse(first.printed.stdout) as ConfigFile;
  const client = await connectClient(mcpServers["counter"]!);
  expect(await call(client, "increase", { by: 3 })).toBe("count is 3");
  first.child.kill("SIGKILL");
  await first.exited;
  const next = serve(file, ...place);
  await expect.poll(() => next.printed.stderr).toContain("are served until");
  expect(JSON.parse(next.printed.stdout)).toEqual({ mcpServers });
  expect(await call(client, "increase", { by: 4 })).toBe("count is 4");
});

const define = (name: string): string =>
  `import { defineTool } from "agent-switchboard/bridge";
const input = { type: "object" };
export const add = defineTool({ name: "${name}", description: "Adds.", input, handler: () => 1 });
`;

test.each([
  [
    "a tool's name that cannot be one",
    "tools.mts",
    define("add numbers"),
    /tools\.mts:3:20: "add numbers" cannot be the name of a tool\..*\n +Use 1 to 60 letters, digits/,
  ],
  [
    "a mistake of syntax",
    "tools.mjs",
    "// A tool\nexport const = 1;",
    /tools\.mjs:2:14: Unexpected/,
  ],
  ["a mistake of syntax in TypeScript", "tools.ts", "export const a: = 1;", /tools\.ts:1:17: /],
  [
    "an enum",
    "tools.ts",
    "\nexport enum X { A }",
    /tools\.ts:2:8: TypeScript enum is not supported.*\n.*const object in place of an enum/,
  ],
  [
    "an exception",
    "tools.mjs",
    "const list = undefined;\nfor (const x of list.all) x;",
    /tools\.mjs:2:22: Cannot read properties of undefined/,
  ],
  [
    "a package that is not there",
    "tools.mjs",
    'import "no-such-package";',
    /tools\.mjs: Cannot find package 'no-such-package'.*\n +Install the missing package beside the file/,
  ],
])(
  "%s is reported with its position and a hint, and exit code 64",
  async (_name, file, text, said) => {
    const path = join(tempDir(), file);
    writeFileSync(path, text);
    const failed = run(process.execPath, [switchboard, "tools", path]);
    await expect(failed).rejects.toMatchObject({ code: 64, stderr: expect.stringMatching(said) });
  },
);

test.each([
  ["no file", () => "/nowhere/tools.ts", /There is no file \/nowhere\/tools\.ts/],
  ["no tools in it", () => emptyFile("export const nothing = 1;"), /exports no tools/],
])("%s is reported with a hint, and exit code 64", async (_name, file, message) => {
  const failed = run(process.execPath, [switchboard, "tools", file()]);
  await expect(failed).rejects.toMatchObject({ code: 64, stderr: expect.stringMatching(message) });
});

function emptyFile(text: string): string {
  const file = join(tempDir(), "tools.mjs");
  writeFileSync(file, text);
  return file;
}

test("switchboard bridge becomes the bridge process, with nothing in its way", async () => {
  const directory = tempDir();
  const [schema, preload, log] = ["schema.json", "preload.cjs", "log"].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  writeFileSync(schema, '[{"name":"t","description":"d","input_schema":{"type":"object"}}]');
  writeFileSync(
    preload,
    `require("fs").appendFileSync(${JSON.stringify(log)}, process.argv[1] + "\\n");`,
  );
  const child = execFile(process.execPath, [switchboard, "bridge", "/nowhere.sock", schema], {
    env: { ...process.env, NODE_OPTIONS: `--require ${preload}` },
  });
  child.stdin?.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  if (!child.stdout) throw new Error("no output");
  expect(await json(child.stdout)).toMatchObject({ id: 1, result: { tools: [{ name: "t" }] } });
  const programs = readFileSync(log, "utf8").trim().split("\n");
  expect(programs.map((path) => basename(path))).toEqual(["switchboard.js"]);
});
