import { Command } from "commander";
import {
  bridgeProgram,
  clearedVariables,
  requireBridgeProgram,
} from "../bridge/host/stdio-config.ts";
import { errorOf } from "../wire/errors.ts";

/**
 * `switchboard bridge SOCKET SCHEMA [own]`: for configs that people write by hand; ours name the program itself. The
 * small program reports wrong arguments in its own form, so that both ways of starting it behave the same.
 */
export function bridgeCommand(): Command {
  return new Command("bridge")
    .description("run the MCP server that passes tool calls to a tool host's socket")
    .usage("<socket> <schema> [own]")
    .argument(
      "[arguments...]",
      "the host's Unix socket and its schema file; then 'own' if the host comes from this package",
    )
    .allowUnknownOption()
    .action(become);
}

/**
 * The small program replaces this process: the MCP client sees one process and one start.
 *
 * @throws `bridge_startup` where a process cannot be replaced, as on Windows, or the program is missing.
 */
function become(args: readonly string[]): void {
  const { execPath } = process;
  const program = [bridgeProgram, ...args];
  if (process.execve === undefined) {
    throw errorOf("bridge_startup", "This Node cannot hand its process over to the bridge.", {
      hint: `Name the bridge itself in the config: ${[execPath, ...program].join(" ")}`,
    });
  }
  requireBridgeProgram();
  process.execve(execPath, [execPath, ...program], { ...process.env, ...clearedVariables });
}
