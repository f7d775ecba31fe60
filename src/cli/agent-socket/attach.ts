import { Command } from "commander";
import type { SessionClient } from "../../client/core.ts";
import type { ViewFlags } from "../attach/view-options.ts";
import { addViewOptions } from "../attach/view-options.ts";
import type { Elsewhere } from "../attach/observer-rows.ts";
import { stateDirOption } from "./flag-values.ts";

interface AttachFlags extends ViewFlags {
  readonly stateDir?: string;
}

const help = `
SESSION is the path of a socket, the id of a session, or the id of its log; the
first letters of an id are enough. 'agent-socket list' shows all of them. Of a
session that does not run you see the log, and a message to it is refused.

On a terminal you get a chat. Enter sends, Alt-Enter or Ctrl-J begins a new
line, Esc or Ctrl-C ends the running turn. When no turn runs, press Ctrl-C twice
to leave; the session goes on. A message that you send during a turn joins it.

Without a terminal, each line of the input is a message. The model's text goes
to stdout, everything else to stderr:
  echo "what is in this directory?" | agent-socket attach SESSION --wait
The line '/help' lists the commands, such as those that answer a request. To
watch without sending anything:
  agent-socket attach SESSION --follow --json < /dev/null`;

export function attachCommand(): Command {
  const command = new Command("attach")
    .description("chat with a session")
    .argument("<session>", "the session's socket or id");
  return addViewOptions(command)
    .addOption(stateDirOption())
    .addHelpText("after", help)
    .action(attach);
}

async function attach(name: string, flags: AttachFlags): Promise<void> {
  // Loaded on demand: help does not need them.
  const { findSession } = await import("./find-session.ts");
  const { viewLog, viewSession } = await import("../attach/view-session.ts");
  const found = await findSession(name, flags.stateDir);
  try {
    if (found.at === "log") await viewLog(found.path, flags, { elsewhere: waysToResume });
    else await viewSession(found.path, flags, { elsewhere: otherWays });
  } finally {
    // An input that is still open would keep this process.
    process.stdin.destroy();
  }
}

const waysToResume = ({ session_id }: SessionClient["init"]): Elsewhere => ({
  decide: () => undefined,
  speak: `To talk with the session: agent-socket --cwd DIR --resume ${session_id}`,
});

/** What a person can do elsewhere when the session can only be watched here. */
async function otherWays({ session_id }: SessionClient["init"]): Promise<Elsewhere> {
  const way = `agent-socket attach ${await controlSocketOf(session_id)}`;
  return { decide: () => way, speak: `To talk with the session: ${way}` };
}

/** The socket of the session whose clients may decide. */
async function controlSocketOf(sessionId: string): Promise<string> {
  const { heldSessions } = await import("../../session/stored-sessions.ts");
  const held = await heldSessions().catch(() => []);
  return held.find((each) => each.session_id === sessionId)?.socket ?? "SOCKET";
}
