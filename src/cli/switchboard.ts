import { styleText } from "node:util";
import { Command } from "commander";
import { bridgeCommand } from "./bridge.ts";
import { demoCommand } from "./demo.ts";
import { rehearseCommand } from "./rehearse.ts";
import { run } from "./run.ts";
import { toolsCommand } from "./tools.ts";
import { approveCommand, denyCommand, downCommand, restartCommand } from "./team/decide.ts";
import { sendCommand } from "./team/send.ts";
import { approvalsCommand, statusCommand, tasksCommand } from "./team/status.ts";
import { tailCommand } from "./team/tail.ts";
import { upCommand } from "./team/up.ts";
import { version } from "./version.ts";

const description =
  "Plug Claude sessions into sockets, your own functions into sessions as tools, and sessions into each other as a team.";

const examples = `
Examples:
  switchboard demo                    see one turn of the real Claude Code CLI, without a key
  switchboard rehearse script.yaml    serve a scripted model on loopback, and print the environment that
                                      points the real Claude Code CLI at it
  switchboard tools my-tools.ts -- claude
                                      Claude Code with the functions of a file as tools
  switchboard rehearse --help         all about one command

This version has the rehearsal and what it stands on; sessions behind sockets and teams are being built.`;

const program = new Command("switchboard")
  .description(description)
  .version(version)
  .configureHelp({ styleTitle: (title) => styleText("bold", title) })
  .addHelpText("after", examples)
  .addCommand(upCommand())
  .addCommand(sendCommand())
  .addCommand(statusCommand())
  .addCommand(tailCommand())
  .addCommand(tasksCommand())
  .addCommand(approvalsCommand())
  .addCommand(approveCommand())
  .addCommand(denyCommand())
  .addCommand(restartCommand())
  .addCommand(downCommand())
  .addCommand(demoCommand())
  .addCommand(rehearseCommand())
  .addCommand(toolsCommand())
  .addCommand(bridgeCommand());

await run(program, process.argv);
