import { execFile } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { setStage } from "../support/rehearsed.ts";
import { tempDir } from "../support/temp-dir.ts";

const run = promisify(execFile);
const switchboard = join(import.meta.dirname, "../../bin/switchboard.js");
const bridge = join(import.meta.dirname, "../../dist/bridge/index.js");

/** A file as a user writes it, with state of its own. */
function writeTools(): string {
  const file = join(tempDir(), "counter.mjs");
  writeFileSync(
    file,
    `import { defineTool } from ${JSON.stringify(bridge)};
     let count = 0;
     const input = { type: "object", properties: { by: { type: "number" } }, required: ["by"] };
     const handler = ({ by }) => \`count is \${(count += by)}\`;
     export const increase = defineTool({ name: "increase", description: "Counts.", input, handler });`,
  );
  return file;
}

const leftBehind = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("switchboard-tools-"));

test("a file's functions are tools of the real CLI, and nothing is left behind", async () => {
  const stage = await setStage({
    rules: [
      { when: { user: "count" }, tools: [{ name: "mcp__counter__increase", input: { by: 2 } }] },
      {
        when: { tool_result: "mcp__counter__increase", turn: 2 },
        tools: [{ name: "mcp__counter__increase", input: { by: 40 } }],
      },
      { when: { tool_result: "mcp__counter__increase" }, text: "It says: ${tool_result}" },
    ],
  });
  const claude = [locateCli(), "-p", "count", "--allowedTools", "mcp__counter"];
  const before = leftBehind();
  const { stdout } = await run(
    process.execPath,
    [switchboard, "tools", writeTools(), "--", ...claude],
    { cwd: stage.cwd, env: { ...process.env, ...stage.env } },
  );
  expect(stdout.trim()).toBe("It says: count is 42");
  expect(leftBehind()).toEqual(before);
});

test("the command's exit code is ours, and {} stands for the config file", async () => {
  const script =
    "const c = JSON.parse(fs.readFileSync(process.argv[1])); process.exit(c.mcpServers.counter ? 7 : 1)";
  const command = [process.execPath, "-e", script, "{}"];
  const failed = run(process.execPath, [switchboard, "tools", writeTools(), "--", ...command]);
  await expect(failed).rejects.toMatchObject({ code: 7 });
});

test.each([
  ["no file", () => "/nowhere/tools.ts", /There is no file \/nowhere\/tools\.ts/],
  ["no tools in it", () => emptyFile("export const nothing = 1;"), /exports no tools/],
  ["a file that cannot be loaded", () => emptyFile("export const = 1;"), /cannot be loaded/],
])("%s is told with a hint, and exit code 64", async (_name, file, message) => {
  const failed = run(process.execPath, [switchboard, "tools", file()]);
  await expect(failed).rejects.toMatchObject({ code: 64, stderr: expect.stringMatching(message) });
});

function emptyFile(text: string): string {
  const file = join(tempDir(), "tools.mjs");
  writeFileSync(file, text);
  return file;
}

test("switchboard bridge becomes the bridge process", async () => {
  const schema = join(tempDir(), "schema.json");
  writeFileSync(schema, '[{"name":"t","description":"d","input_schema":{"type":"object"}}]');
  const child = execFile(process.execPath, [switchboard, "bridge", "/nowhere.sock", schema]);
  child.stdin?.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  if (!child.stdout) throw new Error("no output");
  expect(await json(child.stdout)).toMatchObject({ id: 1, result: { tools: [{ name: "t" }] } });
});
