import { styleText } from "node:util";
import { Command } from "commander";
import { bridgeCommand } from "./bridge.ts";
import { demoCommand } from "./demo.ts";
import { rehearseCommand } from "./rehearse.ts";
import { run } from "./run.ts";
import { toolsCommand } from "./tools.ts";
import { approvalsCommand } from "./team/approvals.ts";
import { answerCommand, approveCommand, cancelCommand, denyCommand } from "./team/decide.ts";
import { downCommand, restartCommand } from "./team/decide.ts";
import { attachCommand } from "./team/attach.ts";
import { dlqCommand } from "./team/dlq.ts";
import { initCommand } from "./team/init.ts";
import { logCommand } from "./team/log.ts";
import { sendCommand } from "./team/send.ts";
import { simulateCommand } from "./team/simulate.ts";
import { statusCommand, tasksCommand } from "./team/status.ts";
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
  .addHelpText("after", examples);

program.commandsGroup("More:");
const groups: Record<string, Command[]> = {
  "Begin:": [demoCommand(), initCommand(), upCommand(), sendCommand(), downCommand()],
  "Watch the team:": [
    statusCommand(),
    tailCommand(),
    tasksCommand(),
    logCommand(),
    attachCommand(),
  ],
  "Steer the team:": [
    approvalsCommand(),
    approveCommand(),
    denyCommand(),
    answerCommand(),
    cancelCommand(),
    restartCommand(),
    dlqCommand(),
  ],
  "Without a model, and with your own tools:": [
    simulateCommand(),
    rehearseCommand(),
    toolsCommand(),
    bridgeCommand(),
  ],
};
for (const [heading, commands] of Object.entries(groups)) {
  for (const command of commands) program.addCommand(command.helpGroup(heading));
}

await run(program, process.argv);
