import { Command, InvalidArgumentError } from "commander";
import type { GatewayLink } from "../../wire/gateway.ts";
import { userName } from "../../proc/current-user.ts";
import { stateDirOption, teamOption } from "../team/find-team.ts";
import { dayTime, print, printJson, table } from "../team/print-for-people.ts";
import type { WebPlace } from "./web-place.ts";
import { runningGateway } from "./web-place.ts";

interface PlaceFlags extends WebPlace {
  session?: string;
  json?: boolean;
}

interface LinkFlags extends PlaceFlags {
  viewer?: boolean;
  name?: string;
  for?: number;
}

const withPlace = (command: Command): Command =>
  command
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--session <socket>", "the page of one session, by its socket");

/** `switchboard web link`: a further link, for oneself or for a viewer. */
export const linkCommand = (): Command =>
  withPlace(new Command("link"))
    .description("print a new link to the page that runs; it can be used once")
    .option("--viewer", "for somebody who may look and change nothing")
    .option("--name <name>", "whom records name (default: you)")
    .option("--for <time>", "how long it lasts, with its sign-in: 30m, 24h, 7d", duration)
    .option("--json", "print it as one JSON object")
    .action(link);

/** `switchboard web links`: who is in, and who may come. */
export const linksCommand = (): Command =>
  withPlace(new Command("links"))
    .description("list the links that are open, and who is signed in")
    .option("--json", "print each as one line of JSON")
    .action(links);

/** `switchboard web unlink ID`: takes a link back, or ends its sign-in. */
export const unlinkCommand = (): Command =>
  withPlace(new Command("unlink"))
    .description("take a link back, or sign out who came by it; its pages close at once")
    .argument("<id>", "its id in the list")
    .action(unlink);

async function link(flags: LinkFlags): Promise<void> {
  await using gateway = await runningGateway(flags.session, flags);
  const made = await gateway.makeLink({
    maker: userName(),
    role: flags.viewer === true ? "viewer" : "owner",
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags.for !== undefined && { for_ms: flags.for }),
  });
  if (flags.json === true) return printJson(made);
  print(made.url);
  const who =
    made.link.role === "viewer" ? `for ${made.link.name}, to look` : `for ${made.link.name}`;
  process.stderr.write(`It works once, ${who}, until ${dayTime(made.link.expires_at)}.\n`);
}

async function links(flags: PlaceFlags): Promise<void> {
  await using gateway = await runningGateway(flags.session, flags);
  const all = await gateway.links();
  if (flags.json === true) {
    for (const each of all) printJson(each);
    return;
  }
  if (all.length === 0) return print("There is no link, and nobody is signed in.");
  print(table([["ID", "NAME", "ROLE", "STATE", "UNTIL", "LAST SEEN"], ...all.map(rowOf)]));
}

const rowOf = ({ id, name, role, state, expires_at, seen_at }: GatewayLink): string[] => [
  id,
  name,
  role,
  state === "open" ? "not used yet" : "signed in",
  dayTime(expires_at),
  seen_at === undefined ? "" : dayTime(seen_at),
];

async function unlink(id: string, flags: PlaceFlags): Promise<void> {
  await using gateway = await runningGateway(flags.session, flags);
  await gateway.unlink(id);
  if (flags.json !== true) print(`${id} is revoked.`);
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function duration(text: string): number {
  const [, count, unit] = /^(\d+)([mhd])$/.exec(text) ?? [];
  if (count === undefined)
    throw new InvalidArgumentError("Expected a time such as 30m, 24h or 7d.");
  return Number(count) * units[unit as keyof typeof units];
}
