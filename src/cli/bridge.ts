import { Command } from "commander";
import { bridgeProgram, requireBridgeProgram } from "../bridge/host/stdio-config.ts";

/** `switchboard bridge SOCKET SCHEMA`: for configs that people write by hand; ours name the program itself. */
export function bridgeCommand(): Command {
  return new Command("bridge")
    .description("be the stdio MCP server that passes tool calls on to a tool host's socket")
    .argument("<socket>", "the host's Unix socket")
    .argument("<schema>", "the host's schema file: the tools to announce")
    .argument("[mode]", "'own' when the host is one of agent-switchboard's")
    .action(become);
}

/** The small program takes this process over: the MCP client sees one process, and its start only once. */
function become(socket: string, schema: string, mode?: string): void {
  requireBridgeProgram();
  const args = [socket, schema, ...(mode === undefined ? [] : [mode])];
  process.execve?.(process.execPath, [process.execPath, bridgeProgram, ...args], process.env);
}
