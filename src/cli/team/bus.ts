import { hostname } from "node:os";
import { Command } from "commander";
import { errorOf } from "../../wire/errors.ts";
import { HostNameSchema } from "../../wire/host.ts";
import { addMemoryCommands } from "./bus-memory.ts";
import { print, printJson } from "./print-for-people.ts";

const examples = `
Example:
  switchboard bus init ./bus --team build --hosts h1,h2 --listen 10.0.0.5:4222
  nats-server -c nats.conf        in ./bus/server, on the machine of the server
  switchboard up team.yaml --bus nats://10.0.0.5:4222 \\
      --credentials ./bus/team/team.json
  switchboard join --bus nats://10.0.0.5:4222 --credentials ./h1.json
                                  on h1, with the files of ./bus/h1

Each directory goes to one machine. ./bus/authority stays where it is safe: with
its key, more machines could be let in.`;

interface InitFlags {
  team: string;
  hosts?: string;
  listen: string;
  address?: string;
  json?: boolean;
}

/** `switchboard bus`: what a team on several machines needs of its server. */
export function busCommand(): Command {
  const command = new Command("bus").description(
    "prepare and use the NATS server of a team on several machines",
  );
  command
    .command("init")
    .description("write a server's configuration, and keys for the team and each host")
    .argument("<dir>", "a new directory")
    .requiredOption("--team <name>", "the team's name, as in the team file")
    .option("--hosts <names>", "the machines that may join, separated by commas")
    .option("--listen <address>", "where the server listens, as HOST:PORT", "127.0.0.1:4222")
    .option("--address <names>", "further names or addresses of the server, separated by commas")
    .option("--json", "print the paths as one line of JSON")
    .addHelpText("after", examples)
    .action(init);
  addMemoryCommands(command);
  return command;
}

async function init(directory: string, flags: InitFlags): Promise<void> {
  const { team, listen, json = false } = flags;
  const hosts = namesIn(flags.hosts);
  for (const name of [team, ...hosts]) {
    if (HostNameSchema.safeParse(name).success) continue;
    throw errorOf(
      "invalid_params",
      `${name}: a name has letters, digits, hyphens and underscores, 64 at most.`,
      {
        hint: "Choose another name.",
      },
    );
  }
  const [address = ""] = /^(.+):\d+$/.exec(listen)?.slice(1) ?? [];
  if (address === "") {
    throw errorOf("invalid_params", `--listen ${listen} is not HOST:PORT.`, {
      hint: "For example: --listen 10.0.0.5:4222",
    });
  }
  const own = ["127.0.0.1", "localhost", hostname(), address, ...namesIn(flags.address)];
  const addresses = [...new Set(own)].filter((each) => !["0.0.0.0", "[::]", "::"].includes(each));
  const { writeBusFiles } = await import("../../tunnel/nats/init/write-bus-files.ts");
  const files = await writeBusFiles({ directory, team, hosts, listen, addresses });
  if (json) return printJson({ server: files.server, credentials: files.credentials });
  print(`Start the server in ${files.server}: nats-server -c nats.conf`);
  for (const [name, file] of Object.entries(files.credentials))
    print(`  ${name}: --credentials ${file}`);
  print("Each of these directories goes to one machine. Nobody else may read them.");
}

const namesIn = (text = ""): string[] => text.split(",").filter((name) => name !== "");
