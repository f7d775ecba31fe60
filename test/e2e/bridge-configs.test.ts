import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { z } from "zod";
import type { StdioServerConfig } from "../../src/bridge/index.ts";
import { defineTool } from "../../src/bridge/index.ts";
import { locateCli } from "../../src/engine/locate-cli.ts";
import type { Stage } from "../support/rehearsed.ts";
import { Performance, setStage } from "../support/rehearsed.ts";
import { lastResults, mainRequests, openShop } from "../support/tool-stage.ts";

// One config, unchanged, in each place where Claude Code looks for MCP servers.

const greet = defineTool({
  name: "greet",
  description: "Greets.",
  input: z.object({ name: z.string() }),
  handler: ({ name }) => `Hello, ${name}.`,
});

async function prepare(): Promise<{ stage: Stage; config: StdioServerConfig; file: string }> {
  const host = await openShop("stdio", [greet]);
  const stage = await setStage({
    rules: [
      {
        when: { user: "greet" },
        tools: [{ name: "mcp__shop__greet", input: { name: "Ada" } }],
      },
      { when: { tool_result: "mcp__shop__greet" }, text: "Greeted." },
    ],
  });
  const config = host.mcpServerConfig() as StdioServerConfig;
  return { stage, config, file: JSON.stringify({ mcpServers: { shop: config } }) };
}

/** Was the tool there from the first request on, and what did it say? */
const greetingIn = (stage: Stage) => ({
  offered: mainRequests(stage)[0]?.tools.includes("mcp__shop__greet"),
  results: lastResults(stage),
});
const greeted = { offered: true, results: [{ text: "Hello, Ada.", is_error: false }] };

const runCli = async ({ cwd, env }: Stage, ...args: string[]): Promise<string> => {
  const options = { cwd, env: { PATH: process.env["PATH"], ...env } };
  const { stdout } = await promisify(execFile)(locateCli(), args, options);
  return stdout.trim();
};

test("the Agent SDK's mcpServers", async () => {
  const { stage, config } = await prepare();
  const play = new Performance(stage, { mcpServers: { shop: config } });
  await play.ask("greet her");
  expect(greetingIn(stage)).toEqual(greeted);
});

test("a project's .mcp.json", async () => {
  const { stage, file } = await prepare();
  writeFileSync(join(stage.cwd, ".mcp.json"), file);
  const play = new Performance(stage, { settingSources: ["project"] });
  await play.ask("greet her");
  expect(greetingIn(stage)).toEqual(greeted);
});

test.each(["a file", "text"])("claude --mcp-config with %s", async (form) => {
  const { stage, file } = await prepare();
  const path = join(stage.cwd, "tools.json");
  writeFileSync(path, file);
  const mcp = ["--mcp-config", form === "text" ? file : path, "--strict-mcp-config"];
  const allow = ["--allowedTools", "mcp__shop__greet"];
  expect(await runCli(stage, "-p", "greet her", ...mcp, ...allow)).toBe("Greeted.");
  expect(greetingIn(stage)).toEqual(greeted);
});
