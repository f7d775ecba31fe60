import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command } from "commander";
import type { ToolHost } from "../bridge/index.ts";
import { MCP_CONFIG_NAME } from "../bridge/host/bridge-file-names.ts";
import { createToolHost } from "../bridge/index.ts";
import { hostNameFrom } from "../bridge/tool/tool-and-host-names.ts";
import { runInForeground } from "../proc/run-in-foreground.ts";
import { listenForInterruption } from "./listen-for-interruption.ts";
import { loadTools } from "./tools/load-tools.ts";

const examples = `
Examples:
  switchboard tools ./my-tools.ts -- claude
                         run Claude Code with your functions as tools
  switchboard tools ./my-tools.ts -- claude -p "…" --allowedTools mcp__my-tools
                         the same for one prompt; --allowedTools allows the
                         calls, because no person can be asked
  switchboard tools ./my-tools.ts -- my-editor --mcp {}
                         {} stands for the path of the config file
  switchboard tools ./my-tools.ts > .mcp.json
                         print the config, and serve until Ctrl+C

You do not need to install agent-switchboard or zod: the file finds them in this
program.`;

interface ServeOptions {
  name?: string;
  directory?: string;
}

/** `switchboard tools FILE [-- COMMAND…]`: serves a file's tools to a command, or until it is stopped. */
export function toolsCommand(): Command {
  return new Command("tools")
    .description("give Claude Code the functions of a file as tools")
    .argument("<file>", "a TypeScript or JavaScript file that exports tools made with defineTool")
    .argument(
      "[command...]",
      "after --: the command to run with the tools; it gets --mcp-config FILE",
    )
    .option("--name <name>", "the name of the tool server (default: the file's name)")
    .option(
      "--directory <dir>",
      "keep the socket in this directory, so that running sessions find it after a restart",
    )
    .addHelpText("after", examples)
    .action(serveTools);
}

async function serveTools(file: string, command: string[], options: ServeOptions): Promise<void> {
  const { name = hostNameFrom(file), directory } = options;
  const tools = await loadTools(file);
  await using host = createToolHost({ name, tools, ...(directory !== undefined && { directory }) });
  await host.start();
  const config = JSON.stringify({ mcpServers: { [name]: host.mcpServerConfig() } }, null, 2);
  const [program, ...args] = command;
  if (program === undefined) await serveUntilStopped(config, host);
  else
    process.exitCode = await runInForeground(program, withConfig(args, writeConfig(config, host)));
}

async function serveUntilStopped(config: string, host: ToolHost): Promise<void> {
  process.stdout.write(`${config}\n`);
  process.stderr.write(
    `The tools of ${host.name} are served until you press Ctrl+C.\n` +
      `Claude Code asks before it calls one. To allow all of them: claude --allowedTools mcp__${host.name}\n`,
  );
  using interruption = listenForInterruption();
  await interruption.first;
}

function withConfig(args: string[], path: string): string[] {
  if (args.includes("{}")) return args.map((arg) => (arg === "{}" ? path : arg));
  // Arguments after -- are not options of the command.
  const end = args.indexOf("--");
  return args.toSpliced(end < 0 ? args.length : end, 0, "--mcp-config", path);
}

/** In the host's directory. A private directory is removed with the host, and swept after a killed one. */
function writeConfig(config: string, host: ToolHost): string {
  const [, socket = ""] = host.mcpServerConfig().args;
  const path = join(dirname(socket), MCP_CONFIG_NAME);
  writeFileSync(path, config, { mode: 0o600 });
  return path;
}
