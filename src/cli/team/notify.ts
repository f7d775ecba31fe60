import { Command } from "commander";
import { TeamSource } from "../../notify/run-notifier.ts";
import { connectTeam, controlSocket } from "../../team/find-and-connect.ts";
import type { NotifyFlags } from "../notify/notify-options.ts";
import { notifyHelp, withNotifyOptions } from "../notify/notify-options.ts";
import { runNotify } from "../notify/run-notify.ts";
import { webDirectory } from "../web/kept-gateway.ts";
import type { TeamPlace } from "./find-team.ts";
import { findTeam, stateDirOption, teamOption } from "./find-team.ts";

/** `switchboard notify`: tells a person when the team wants them, or has finished. */
export function notifyCommand(): Command {
  const command = new Command("notify")
    .description("tell you, by a program or a webhook, when the team wants you")
    .argument("[args...]", "of the program, after '--'")
    .addOption(teamOption())
    .addOption(stateDirOption());
  return withNotifyOptions(command)
    .addHelpText("after", notifyHelp("switchboard", ""))
    .action(notify);
}

async function notify(args: readonly string[], flags: NotifyFlags & TeamPlace): Promise<void> {
  const { stateDir } = await findTeam(flags);
  // A name would stand in records of who decided, and the notifier decides nothing.
  const source = new TeamSource((onConnection, signal) =>
    connectTeam(controlSocket(stateDir), { onConnection, signal }),
  );
  await runNotify({ source, stateDir, webDir: webDirectory(stateDir) }, flags, args);
}
