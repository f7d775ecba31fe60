import { styleText } from "node:util";
import { Command } from "commander";
import { acpCommand } from "./agent-socket/acp.ts";
import { archiveCommand } from "./agent-socket/archive.ts";
import { attachCommand } from "./agent-socket/attach.ts";
import { deleteCommand } from "./agent-socket/delete.ts";
import { listCommand } from "./agent-socket/list.ts";
import { notifyCommand } from "./agent-socket/notify.ts";
import { renameCommand } from "./agent-socket/rename.ts";
import { replayCommand } from "./agent-socket/replay.ts";
import { addStart } from "./agent-socket/start.ts";
import { completionCommand } from "./completion.ts";
import { run } from "./run.ts";
import { packageVersion } from "../files/package-version.ts";

const description =
  "One Claude session in one process, driven by any program in any language over a Unix socket with JSON Lines.";

// Without a command it starts a session; each command has a file of its own in agent-socket/.
const program = addStart(
  new Command("agent-socket")
    .description(description)
    .version(packageVersion)
    .configureHelp({ styleTitle: (title) => styleText("bold", title) }),
)
  .addCommand(acpCommand())
  .addCommand(attachCommand())
  .addCommand(replayCommand())
  .addCommand(notifyCommand())
  .addCommand(listCommand())
  .addCommand(renameCommand())
  .addCommand(archiveCommand())
  .addCommand(deleteCommand());

program.addCommand(completionCommand(program));

await run(program, process.argv);
