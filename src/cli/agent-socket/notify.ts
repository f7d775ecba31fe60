import { createHash } from "node:crypto";
import { basename, join, resolve } from "node:path";
import { Command } from "commander";
import type { NotifyFlags } from "../notify/notify-options.ts";
import { notifyHelp, withNotifyOptions } from "../notify/notify-options.ts";
import { stateDirOption } from "./flag-values.ts";

/** `agent-socket notify SESSION`: tells a person when the session wants them, or its turn has ended. */
export function notifyCommand(): Command {
  const command = new Command("notify")
    .description("tell you, by a program or a webhook, when a session wants you")
    .argument("<session>", "the session's socket or id")
    .argument("[args...]", "of the program, after '--'")
    .addOption(stateDirOption());
  return withNotifyOptions(command)
    .addHelpText("after", notifyHelp("agent-socket", "SESSION "))
    .action(notify);
}

async function notify(
  name: string,
  args: readonly string[],
  flags: NotifyFlags & { stateDir?: string },
): Promise<void> {
  // Loaded on demand: the other commands of this program do not need them.
  const [{ connectSession }, { SessionSource }, { runNotify }, { findSession }, stored, errors] =
    await Promise.all([
      import("../../client/index.ts"),
      import("../../notify/run-notifier.ts"),
      import("../notify/run-notify.ts"),
      import("./find-session.ts"),
      import("../../session/stored-sessions.ts"),
      import("../../wire/errors.ts"),
    ]);
  const found = await findSession(name, flags.stateDir);
  if (found.at === "log") {
    throw errors.errorOf("connection_failed", `The session ${name} does not run.`, {
      hint: "Continue it: agent-socket --cwd DIR --resume ID --detach",
    });
  }
  const socket = resolve(found.path);
  const source = new SessionSource(
    (options, signal) => connectSession(socket, { ...options, signal }),
    basename(name),
  );
  const stateDir = stored.privateDirectory(stored.userStateDirectory());
  // As `switchboard web SOCKET` names the directory of its gateway.
  const web = createHash("sha256").update(socket).digest("hex").slice(0, 16);
  await runNotify(
    { source, stateDir, webDir: join(stateDir, "web", web), name: socket },
    flags,
    args,
  );
}
