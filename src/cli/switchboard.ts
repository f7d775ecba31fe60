import { styleText } from "node:util";
import { Command } from "commander";
import { completionCommand } from "./completion.ts";
import { run } from "./run.ts";
import { packageVersion } from "../files/package-version.ts";

const description =
  "Run teams of Claude Code agents, and give Claude Code your own functions as tools.";

const examples = `
Examples:
  switchboard demo                 watch five agents write a program, no key
  switchboard init                 write a team file to begin with
  switchboard up team.yaml         start that team
  switchboard send "Build it"      from another terminal: talk to its lead
  switchboard web link             a link to its page in the browser
  switchboard tools my-tools.ts -- claude
                                   run Claude Code with your functions as tools
  switchboard rehearse script.yaml
                                   serve a scripted model to Claude Code
  switchboard up --help            show the help of one command`;

const program = new Command("switchboard")
  .description(description)
  .version(packageVersion)
  .configureHelp({ styleTitle: (title) => styleText("bold", title) })
  .addHelpText("after", examples);

type Loaders = Record<string, () => Promise<Command>>;

/** Each command under its heading. Only the called command is loaded, so that it starts at once. */
const groups: Record<string, Loaders> = {
  "Begin:": {
    demo: async () => (await import("./demo.ts")).demoCommand(),
    init: async () => (await import("./team/init.ts")).initCommand(),
    up: async () => (await import("./team/up.ts")).upCommand(),
    send: async () => (await import("./team/send.ts")).sendCommand(),
    down: async () => (await import("./team/down.ts")).downCommand(),
  },
  "On several machines:": {
    join: async () => (await import("./team/join.ts")).joinCommand(),
    office: async () => (await import("./team/office.ts")).officeCommand(),
    bus: async () => (await import("./team/bus.ts")).busCommand(),
  },
  "Watch the team:": {
    status: async () => (await import("./team/status.ts")).statusCommand(),
    tail: async () => (await import("./team/tail.ts")).tailCommand(),
    tasks: async () => (await import("./team/tasks.ts")).tasksCommand(),
    show: async () => (await import("./team/show.ts")).showCommand(),
    log: async () => (await import("./team/log.ts")).logCommand(),
    attach: async () => (await import("./team/attach.ts")).attachCommand(),
    web: async () => (await import("./web.ts")).webCommand(),
    notify: async () => (await import("./team/notify.ts")).notifyCommand(),
  },
  "Steer the team:": {
    approvals: async () => (await import("./team/approvals.ts")).approvalsCommand(),
    approve: async () => (await import("./team/decide-request.ts")).approveCommand(),
    deny: async () => (await import("./team/decide-request.ts")).denyCommand(),
    hold: async () => (await import("./team/hold.ts")).holdCommand(),
    answer: async () => (await import("./team/decide-request.ts")).answerCommand(),
    cancel: async () => (await import("./team/decide-request.ts")).cancelCommand(),
    start: async () => (await import("./team/agent-commands.ts")).startCommand(),
    stop: async () => (await import("./team/agent-commands.ts")).stopCommand(),
    move: async () => (await import("./team/agent-commands.ts")).moveCommand(),
    hibernate: async () => (await import("./team/agent-commands.ts")).hibernateCommand(),
    abort: async () => (await import("./team/agent-commands.ts")).abortCommand(),
    set: async () => (await import("./team/agent-commands.ts")).setCommand(),
    restart: async () => (await import("./team/agent-commands.ts")).restartCommand(),
    notices: async () => (await import("./team/notices.ts")).noticesCommand(),
    ack: async () => (await import("./team/notices.ts")).ackCommand(),
    dlq: async () => (await import("./team/dlq.ts")).dlqCommand(),
  },
  "From other programs:": {
    mcp: async () => (await import("./team/mcp.ts")).mcpCommand(),
  },
  "Without a model, and with your own tools:": {
    simulate: async () => (await import("./team/simulate.ts")).simulateCommand(),
    rehearse: async () => (await import("./rehearse.ts")).rehearseCommand(),
    tools: async () => (await import("./tools.ts")).toolsCommand(),
    bridge: async () => (await import("./bridge.ts")).bridgeCommand(),
    prove: async () => (await import("./prove.ts")).proveCommand(),
  },
};

const [, , called = ""] = process.argv;
const isKnown = Object.values(groups).some((loaders) => Object.hasOwn(loaders, called));
const isVersion = ["-V", "--version"].includes(called);

program.commandsGroup("More:");
for (const [heading, loaders] of Object.entries(groups)) {
  for (const [name, load] of Object.entries(loaders)) {
    // Help, completions and suggestions for a mistyped command need them all.
    if (isVersion || (isKnown && name !== called)) continue;
    program.addCommand((await load()).helpGroup(heading));
  }
}
program.addCommand(completionCommand(program));

await run(program, process.argv);
