import { hostname } from "node:os";
import { join } from "node:path";
import type { Bus } from "../../bus/bus.ts";
import { accessOf } from "../../nats/nats-credentials.ts";
import { backgroundClock } from "../../time/clock.ts";
import type { NatsLink } from "../../tunnel/nats/connect-nats.ts";
import { errorOf } from "../../wire/errors.ts";
import { HostNameSchema } from "../../wire/host.ts";
import type { StandbyBeat } from "../../wire/office.ts";
import type { Team } from "../file/team.ts";
import type { TeamBus } from "../host/remote/open-remote-host.ts";
import { askOffice } from "./ask-office.ts";
import { OfficePresence } from "./office-presence.ts";

/** Why a process is the team's office no longer: another one took it, or a person moved it. */
export type OfficeEnd =
  | { readonly because: "deposed"; readonly by: string }
  | { readonly because: "moved"; readonly to: StandbyBeat };

/** A process that is the office of its team. */
export interface Office {
  readonly bus: Bus;
  readonly epoch: number;
  readonly link: NatsLink;
  /** What the server promises, in words. */
  readonly promise: string;
  readonly ended: Promise<OfficeEnd>;
  /** To be called when the bus is closed. With `stopped` nobody is to follow. */
  close(end: OfficeEnd | "stopped" | "failed"): Promise<void>;
}

/** This machine's name in the team. @throws `invalid_params` */
export function ownName(host: string | undefined): string {
  const name = host ?? hostname().split(".")[0] ?? "";
  if (HostNameSchema.safeParse(name).success) return name;
  throw errorOf("invalid_params", `${name} is no name for a machine of the team.`, {
    hint: "Name it with --host: letters, digits, hyphens and underscores, 64 at most.",
  });
}

/**
 * Makes this process the office of a team whose log is on NATS.
 *
 * @throws `team_running` when another office answers; what `openNatsBus` throws; `connection_failed`.
 */
export async function openOffice(team: Team, stateDir: string, where: TeamBus): Promise<Office> {
  const { url, credentials, host, monitors, follows = false } = where;
  const name = ownName(host);
  // Loaded only when a team is on NATS.
  const { connectNats } = await import("../../tunnel/nats/connect-nats.ts");
  const { openNatsBus } = await import("../../bus/jetstream/open-nats-bus.ts");
  const link = await connectNats(accessOf(url, credentials));
  try {
    if (!follows) await mustHaveNoOffice(link, team.name);
    const bus = await openNatsBus(join(stateDir, "bus.db"), {
      servers: url.split(","),
      team: team.name,
      credentials,
      monitors,
      writer: name,
      maxAttempts: team.limits.delivery_attempts,
    });
    const { epoch } = bus;
    const ended = Promise.withResolvers<OfficeEnd>();
    const presence = new OfficePresence({
      line: link.line,
      team: team.name,
      name,
      epoch,
      clock: backgroundClock,
      // Only the log knows: the attempt to write shows it.
      onNewer: () => void bus.records.write([lookedAgain]).catch(() => {}),
      onMove: (to) => ended.resolve({ because: "moved", to }),
    });
    void bus.ended.then((end) => end.because === "deposed" && ended.resolve(end));
    let closing: Promise<void> | undefined;
    return {
      bus,
      epoch,
      link,
      promise: promiseOf(bus.capabilities().powerLossSafe, monitors),
      ended: ended.promise,
      close(end) {
        if (closing) return closing;
        if (end === "stopped") presence.sayStopped();
        else if (end !== "failed" && end.because === "moved") presence.handOverTo(end.to);
        presence.close();
        return (closing = link.close());
      },
    };
  } catch (error) {
    await link.close();
    throw error;
  }
}

const lookedAgain = {
  kind: "put",
  collection: "office",
  key: "newest",
  value: {},
} as const;

async function mustHaveNoOffice({ line }: NatsLink, team: string): Promise<void> {
  const office = await askOffice(line, team, { type: "who" });
  if (!office) return;
  throw errorOf("team_running", `The team ${team} runs already: ${office.name} is its office.`, {
    hint: "To follow it, start with --standby; then 'switchboard office move' moves it here.",
  });
}

const promiseOf = (isSafe: boolean, monitors: readonly string[] = []): string => {
  if (isSafe)
    return "The NATS servers sync always: what the team has stored survives a power loss.";
  const why =
    monitors.length === 0
      ? "--bus-monitor URL, which tells whether they sync always, was not given"
      : `not every one was seen at ${monitors.join(", ")} to sync always`;
  return `A power loss of the NATS servers may cost the newest messages: ${why}.`;
};
