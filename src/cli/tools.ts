import { writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { Command } from "commander";
import type { ToolHost } from "../bridge/index.ts";
import { MCP_CONFIG_NAME } from "../bridge/host/file-names.ts";
import { createToolHost } from "../bridge/index.ts";
import { runInForeground } from "../proc/foreground.ts";
import { listenForInterruption } from "./interruption.ts";
import { loadTools } from "./load-tools.ts";

const examples = `
Examples:
  switchboard tools ./my-tools.ts -- claude                  Claude Code with your functions as tools
  switchboard tools ./my-tools.ts -- claude -p "use them"    the same for one prompt
  switchboard tools ./my-tools.ts -- my-editor --mcp {}      {} stands for the path of the config file
  switchboard tools ./my-tools.ts > .mcp.json                print the config and serve until Ctrl+C`;

/** `switchboard tools FILE [-- COMMAND…]`: serves a file's tools to a command, or until it is stopped. */
export function toolsCommand(): Command {
  return new Command("tools")
    .description("offer the functions that a file exports as tools to Claude Code")
    .argument("<file>", "a TypeScript or JavaScript file that exports tools made with defineTool")
    .argument("[command...]", "after --, what to run with the tools; its config is put in place")
    .option("--name <name>", "name of the tool server (default: made from the file's)")
    .addHelpText("after", examples)
    .action(serveTools);
}

async function serveTools(
  file: string,
  command: string[],
  options: { name?: string },
): Promise<void> {
  const name = options.name ?? nameFrom(file);
  await using host = createToolHost({ name, tools: await loadTools(file) });
  await host.start();
  const config = JSON.stringify({ mcpServers: { [name]: host.mcpServerConfig() } }, null, 2);
  const [program, ...args] = command;
  if (program === undefined) await serveUntilStopped(config, host);
  else
    process.exitCode = await runInForeground(program, withConfig(args, writeConfig(config, host)));
}

/** `my.tools.ts` serves as `my_tools`: the file's name, as far as it can be a host's. */
function nameFrom(file: string): string {
  return basename(file, extname(file))
    .replaceAll(/[^A-Za-z0-9-]+/g, "_")
    .slice(0, 60);
}

async function serveUntilStopped(config: string, host: ToolHost): Promise<void> {
  process.stdout.write(`${config}\n`);
  process.stderr.write(`The tools of ${host.name} are served until you press Ctrl+C.\n`);
  using interruption = listenForInterruption();
  await interruption.first;
}

function withConfig(args: string[], path: string): string[] {
  if (args.includes("{}")) return args.map((arg) => (arg === "{}" ? path : arg));
  // What stands behind -- is no option to the command.
  const end = args.indexOf("--");
  return args.toSpliced(end < 0 ? args.length : end, 0, "--mcp-config", path);
}

/** In the host's private directory: it goes with the host, and is swept with what a killed one leaves. */
function writeConfig(config: string, host: ToolHost): string {
  const [, socket = ""] = host.mcpServerConfig().args;
  const path = join(dirname(socket), MCP_CONFIG_NAME);
  writeFileSync(path, config, { mode: 0o600 });
  return path;
}
