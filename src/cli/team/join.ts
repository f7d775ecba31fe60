import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { privateDirectory, userStateDirectory } from "../../session/stored-sessions.ts";
import { joinTeam } from "../../team/index.ts";
import { errorOf } from "../../wire/errors.ts";
import { HostNameSchema } from "../../wire/host.ts";
import { listenForInterruption } from "../listen-for-interruption.ts";
import { credentialsName } from "./bus-options.ts";
import { print, printJson } from "./print-for-people.ts";

const examples = `
Examples:
  switchboard join --bus nats://10.0.0.5:4222 --team build \\
      --credentials h1.json
      run agents of the team on this machine; Ctrl+C ends them
  switchboard join --bus nats://10.0.0.5:4222 --team build \\
      --labels gpu=yes,disk=big
      take agents whose 'labels' in the team file ask for that

The team runs elsewhere: 'switchboard up team.yaml --bus nats://10.0.0.5:4222'.
Its file says which agents run here: 'host: NAME', or 'labels'. They work in
the current directory, unless the team file names another, with the keys and
the login of this machine.`;

interface JoinFlags {
  bus: string;
  team?: string;
  host?: string;
  agents?: string;
  labels?: string;
  credentials?: string;
  stateDir?: string;
  rehearsal?: string;
  json?: boolean;
}

/** `switchboard join`: runs agents of a team that is started on another machine. */
export function joinCommand(): Command {
  return new Command("join")
    .description("run agents of a team that was started on another machine")
    .requiredOption("--bus <url>", "the NATS server of the team, as nats://HOST:PORT")
    .option("--team <name>", "the team's name (default: that of the credentials)")
    .option(
      "--host <name>",
      "this machine's name in the team (default: that of the credentials, or its own)",
    )
    .option("--agents <names>", "run only these agents, separated by commas")
    .option(
      "--labels <labels>",
      "KEY=VALUE pairs, separated by commas, for 'labels' in the team file",
    )
    .option("--credentials <file>", "what 'switchboard bus init' wrote for this machine")
    .option("--rehearsal <script>", "use a scripted model instead of the real one")
    .option("--state-dir <dir>", "keep the agents' state in this directory")
    .option("--json", "print every notice as one line of JSON")
    .addHelpText("after", examples)
    .action(joinHere);
}

async function joinHere(flags: JoinFlags): Promise<void> {
  const { bus: url, credentials, agents, rehearsal, json = false } = flags;
  using interruption = listenForInterruption();
  const own = credentials === undefined ? undefined : await credentialsName(credentials);
  const team = token("--team", flags.team ?? own?.team);
  const host = token("--host", flags.host ?? own?.name ?? hostname().split(".")[0]);
  if (own && own.name !== host) {
    throw errorOf("invalid_params", `The credentials are those of ${own.name}, not of ${host}.`, {
      hint: "Omit --host, or name the file of that host.",
    });
  }
  const stateDir = privateDirectory(
    flags.stateDir === undefined
      ? join(userStateDirectory(), "hosts", team, host)
      : resolve(flags.stateDir),
  );
  const joined = await joinTeam({
    bus: { url, ...(credentials !== undefined && { credentials }) },
    team,
    host,
    stateDir,
    directory: process.cwd(),
    labels: labelsIn(flags.labels ?? ""),
    ...(agents !== undefined && { agents: agents.split(",").filter((name) => name !== "") }),
    ...(rehearsal !== undefined && { rehearsal: resolve(rehearsal) }),
    onNotice: (notice) => (json ? printJson(notice) : print(notice.message)),
  });
  if (json) printJson({ type: "joined", team, host, state_dir: stateDir });
  else print(`${host} takes agents of the team ${team}. Ctrl+C ends them.`);
  const why = await Promise.race([joined.ended, interruption.first]);
  await joined.leave();
  if (typeof why !== "string") throw why;
  if (!json) print(`${host} has left the team.`);
}

function token(flag: string, name: string | undefined): string {
  if (name === undefined)
    throw errorOf("invalid_params", `Which team? ${flag} is missing.`, {
      hint: "See 'switchboard join --help'.",
    });
  if (HostNameSchema.safeParse(name).success) return name;
  throw errorOf(
    "invalid_params",
    `${flag} ${name}: a name has letters, digits, hyphens and underscores, 64 at most.`,
    {
      hint: `Choose another name with ${flag}.`,
    },
  );
}

function labelsIn(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
      throw errorOf("invalid_params", `--labels: ${pair} is no KEY=VALUE pair.`, {
        hint: "For example: --labels gpu=yes,disk=big",
      });
    }),
  );
}
