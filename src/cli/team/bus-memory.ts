import { join } from "node:path";
import type { Command } from "commander";
import { Option } from "commander";
import { readReplicaPlace } from "../../bus/sqlite/read-replica-place.ts";
import { migrateTeam, readBusStatus } from "../../team/index.ts";
import { errorOf } from "../../wire/errors.ts";
import type { BusFlags } from "./bus-options.ts";
import { credentialsName, teamOnBus, teamToken } from "./bus-options.ts";
import { connectOrFind, namedStateDir, stateDirOption, teamOption } from "./find-team.ts";
import { print, printJson } from "./print-for-people.ts";

interface Flags extends BusFlags {
  busMonitor?: string;
  stateDir?: string;
  json?: boolean;
}

const withBus = (command: Command): Command =>
  command
    .requiredOption("--bus <url>", "the NATS server of the team, as nats://HOST:PORT")
    .option("--credentials <file>", "what 'switchboard bus init' wrote for the team")
    .addOption(stateDirOption());

/** What people do with the memory of a team on NATS. */
export function addMemoryCommands(command: Command): void {
  withBus(command.command("status"))
    .description("show what the server has of a team, and what it promises")
    .option("--team <name>", "the team's name (default: that of the credentials)")
    .option("--bus-monitor <urls>", "where the servers tell by HTTP whether they sync always")
    .option("--json", "print it as one line of JSON")
    .action(status);
  withBus(command.command("migrate"))
    .description("move the memory of a stopped team to the server, or back from it")
    .addOption(
      new Option("--to <engine>", "where it is stored from now on")
        .choices(["nats", "sqlite"])
        .makeOptionMandatory(),
    )
    .addOption(teamOption())
    .option("--json", "print the outcome as one line of JSON")
    .action((flags: Flags & { to: "nats" | "sqlite" }) => move(flags, flags.to));
  withBus(command.command("repair"))
    .description("begin the log of a stopped team anew, from the copy on this machine")
    .addOption(teamOption())
    .option("--json", "print the outcome as one line of JSON")
    .action((flags: Flags) => move(flags, "repair"));
}

async function status(flags: Flags): Promise<void> {
  const { team, bus } = await teamOnBus(flags);
  const monitors = flags.busMonitor === undefined ? {} : { monitors: flags.busMonitor.split(",") };
  const { serverVersion, stream, log, office } = await readBusStatus(team, { ...bus, ...monitors });
  const stateDir = namedStateDir(flags.stateDir === undefined ? {} : { stateDir: flags.stateDir });
  const replica = stateDir === undefined ? undefined : await replicaIn(stateDir);
  const missing = log && replica?.at !== undefined ? log.lastSeq - replica.at : undefined;
  if (flags.json) {
    return printJson({
      team,
      server_version: serverVersion,
      stream,
      ...(log && {
        entries: log.entries,
        bytes: log.bytes,
        last_entry: log.lastSeq,
        copies: log.copies,
        power_loss_safe: log.powerLossSafe,
        ...(log.newestOffice && {
          newest_office: {
            epoch: log.newestOffice.epoch,
            name: log.newestOffice.writer,
            at: log.newestOffice.at,
            ...(log.newestOffice.leftFor !== undefined && { left_for: log.newestOffice.leftFor }),
          },
        }),
      }),
      ...(office && { office }),
      ...(missing !== undefined && { replica_lacks: missing }),
    });
  }
  print(`Server    nats-server ${serverVersion} at ${bus.url}`);
  if (!log) return print(`Log       there is no stream ${stream}: the team was never here`);
  const copies = log.copies === 1 ? "on one server" : `on ${log.copies} servers`;
  print(`Log       ${stream}: ${log.entries} entries, ${log.bytes} bytes, ${copies}`);
  print(
    log.powerLossSafe
      ? "Promise   what is stored survives a power loss: the servers sync always"
      : "Promise   a power loss may cost the newest messages: the servers were not seen to sync always (--bus-monitor)",
  );
  const { newestOffice } = log;
  if (newestOffice?.leftFor !== undefined) {
    print(`Office    none: the team is stored in ${newestOffice.leftFor} since ${newestOffice.at}`);
  } else if (office) {
    const others = office.standbys.length === 0 ? "nobody stands by" : office.standbys.join(", ");
    print(`Office    ${office.name}, epoch ${office.epoch}; stands by: ${others}`);
  } else {
    const last = newestOffice ? `; the last was ${newestOffice.writer}, ${newestOffice.at}` : "";
    print(`Office    none answers${last}`);
  }
  if (!replica) return;
  if (missing === undefined) print(`Replica   ${replica.why}`);
  else if (missing === 0) print("Replica   has all entries");
  else if (missing > 0)
    print(`Replica   lacks ${missing} entries, and reads them at the next start`);
  else
    print(`Replica   has ${-missing} entries that the log has lost: see 'switchboard bus repair'`);
}

async function replicaIn(stateDir: string): Promise<{ at?: number; why: string }> {
  try {
    const state = await readReplicaPlace(join(stateDir, "bus.db"));
    return state
      ? { at: state.head.seq, why: "" }
      : { why: `${stateDir} has the memory of a team without a log` };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

async function move(flags: Flags, to: "nats" | "sqlite" | "repair"): Promise<void> {
  const { stateDir, name } = await stoppedTeam(flags);
  const team = teamToken(name);
  const { team: named, bus } = await teamOnBus({ ...flags, team });
  await mustBeTheirs(flags, named);
  const moved = await migrateTeam(stateDir, team, bus, to);
  if (flags.json) return printJson({ team, state_dir: stateDir, to, ...moved });
  if (moved.kind === "whole") return print("There is nothing to repair: the log has all entries.");
  const where = to === "sqlite" ? `in ${stateDir}` : `on ${bus.url}`;
  print(`The memory of the team ${team} is ${where} now. The file before is ${moved.former}.`);
  print(to === "sqlite" ? "Start the team without --bus." : `Start it with --bus ${bus.url}`);
}

async function stoppedTeam(flags: Flags): Promise<{ stateDir: string; name: string }> {
  const { team, stateDir } = flags;
  const { team: running, known } = await connectOrFind({
    ...(team !== undefined && { team }),
    ...(stateDir !== undefined && { stateDir }),
  });
  if (!running) return known;
  await running.close();
  throw errorOf("team_running", `The team ${known.name} is running.`, {
    hint: "Stop it first with 'switchboard down'.",
  });
}

async function mustBeTheirs({ credentials }: Flags, team: string): Promise<void> {
  if (credentials === undefined) return;
  const own = await credentialsName(credentials);
  if (own.team === team) return;
  throw errorOf("invalid_params", `The credentials are those of the team ${own.team}.`, {
    hint: `Name the file of the team ${team} with --credentials.`,
  });
}
