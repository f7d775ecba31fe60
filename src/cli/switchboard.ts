import { styleText } from "node:util";
import { Command } from "commander";
import { bridgeCommand } from "./bridge.ts";
import { demoCommand } from "./demo.ts";
import { rehearseCommand } from "./rehearse.ts";
import { run } from "./run.ts";
import { toolsCommand } from "./tools.ts";
import { approveCommand, denyCommand, downCommand, restartCommand } from "./team/decide.ts";
import { attachCommand } from "./team/attach.ts";
import { initCommand } from "./team/init.ts";
import { cancelCommand, dlqCommand, logCommand } from "./team/records.ts";
import { sendCommand } from "./team/send.ts";
import { simulateCommand } from "./team/simulate.ts";
import { approvalsCommand, statusCommand, tasksCommand } from "./team/status.ts";
import { tailCommand } from "./team/tail.ts";
import { upCommand } from "./team/up.ts";
import { version } from "./version.ts";

const description =
  "Plug Claude sessions into sockets, your own functions into sessions as tools, and sessions into each other as a team.";

const examples = `
Examples:
  switchboard demo                    watch a team of five agents write and test a program, without a key
  switchboard init                    write a team file to begin with
  switchboard up team.yaml            start the team; then, from another terminal: switchboard send "Build it"
  switchboard rehearse script.yaml    serve a scripted model on loopback, and print the environment that
                                      points the real Claude Code CLI at it
  switchboard tools my-tools.ts -- claude
                                      Claude Code with the functions of a file as tools
  switchboard rehearse --help         all about one command`;

const program = new Command("switchboard")
  .description(description)
  .version(version)
  .configureHelp({ styleTitle: (title) => styleText("bold", title) })
  .addHelpText("after", examples)
  .addCommand(initCommand())
  .addCommand(upCommand())
  .addCommand(sendCommand())
  .addCommand(statusCommand())
  .addCommand(tailCommand())
  .addCommand(tasksCommand())
  .addCommand(approvalsCommand())
  .addCommand(approveCommand())
  .addCommand(denyCommand())
  .addCommand(logCommand())
  .addCommand(dlqCommand())
  .addCommand(cancelCommand())
  .addCommand(attachCommand())
  .addCommand(restartCommand())
  .addCommand(downCommand())
  .addCommand(simulateCommand())
  .addCommand(demoCommand())
  .addCommand(rehearseCommand())
  .addCommand(toolsCommand())
  .addCommand(bridgeCommand());

await run(program, process.argv);
