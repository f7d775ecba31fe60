import { join } from "node:path";
import { accessOf } from "../../nats/nats-credentials.ts";
import { systemClock } from "../../time/clock.ts";
import type { Team } from "../file/team.ts";
import type { TeamBus } from "../host/remote/open-remote-host.ts";
import { ownName } from "./open-office.ts";
import type { StandbyEnd } from "./stand-by.ts";
import { standBy } from "./stand-by.ts";

/**
 * Follows the log of a team that has its office elsewhere, until this process is to be the office: then start the team with
 * `bus.follows`.
 *
 * @throws the signal's reason; `bus_invalid`, `bus_refused`, `bus_in_use`; `connection_failed`.
 */
export async function waitForOffice(
  team: Pick<Team, "name">,
  stateDir: string,
  { url, credentials, host }: TeamBus,
  signal: AbortSignal,
): Promise<StandbyEnd> {
  const name = ownName(host);
  const { openNatsLine } = await import("../../nats/open-nats-line.ts");
  const { followNatsLog } = await import("../../bus/jetstream/follow-nats-log.ts");
  const line = await openNatsLine(accessOf(url, credentials));
  const over = new AbortController();
  const settings = { servers: url.split(","), team: team.name, credentials };
  const following = followNatsLog(join(stateDir, "bus.db"), settings, over.signal);
  try {
    const failed = following.then(() => Promise.withResolvers<never>().promise);
    return await Promise.race([
      standBy({ line, team: team.name, name, clock: systemClock, signal }),
      failed,
    ]);
  } finally {
    over.abort();
    await following.catch(() => {});
    await line.close();
  }
}
