import { Argument, Command } from "commander";
import {
  bridgeProgram,
  clearedVariables,
  requireBridgeProgram,
} from "../bridge/host/stdio-config.ts";
import { readToolFile } from "../bridge/child/schema-file.ts";
import { errorOf } from "../wire/errors.ts";

/** `switchboard bridge SOCKET SCHEMA`: for configs that people write by hand; ours name the program itself. */
export function bridgeCommand(): Command {
  return new Command("bridge")
    .description("be the stdio MCP server that passes tool calls on to a tool host's socket")
    .argument("<socket>", "the host's Unix socket")
    .argument("<schema>", "the host's schema file: the tools to announce")
    .addArgument(
      new Argument("[mode]", "for a host that is one of agent-switchboard's").choices(["own"]),
    )
    .action(become);
}

/**
 * The small program takes this process over: the MCP client sees one process, and its start only once.
 *
 * @throws `bridge_startup` where no process can be taken over, as on Windows, or the program is missing.
 */
function become(socket: string, schema: string, mode?: string): void {
  const { execPath } = process;
  const program = [bridgeProgram, socket, schema, ...(mode === undefined ? [] : [mode])];
  if (process.execve === undefined) {
    throw errorOf("bridge_startup", "This Node cannot hand its process over to the bridge.", {
      hint: `Name the bridge itself in the config: ${[execPath, ...program].join(" ")}`,
    });
  }
  requireBridgeProgram();
  // It would find out itself, but say so in its own form only.
  readToolFile(schema);
  process.execve(execPath, [execPath, ...program], { ...process.env, ...clearedVariables });
}
