import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageVersion } from "../../files/package-version.ts";
import { accessOf } from "../../nats/nats-credentials.ts";
import { errorOf } from "../../wire/errors.ts";
import { openControl } from "../control/serve-control-socket.ts";
import type { TeamBus } from "../host/remote/open-remote-host.ts";
import { askOffice } from "./ask-office.ts";

/** What became of the memory of a team. */
export type MemoryMove =
  | { readonly kind: "moved"; readonly rows: number; readonly former: string }
  /** The log has all that the state directory has. */
  | { readonly kind: "whole" };

/**
 * Does something to the memory of a stopped team: `nats` and `sqlite` move it there; `repair` begins a new log from the replica in
 * the state directory, when the log is gone.
 *
 * @throws `team_running`; `team_not_running` when there is no memory; `bus_invalid`; `connection_failed`, `bus_refused`.
 */
export async function migrateTeam(
  stateDir: string,
  team: string,
  bus: TeamBus,
  to: "nats" | "sqlite" | "repair",
): Promise<MemoryMove> {
  const path = join(stateDir, "bus.db");
  if (!existsSync(path)) {
    throw errorOf("team_not_running", `${stateDir} has no memory of a team.`, {
      hint: "Name the right one with --state-dir.",
    });
  }
  // While this process has the control socket, no process of the team can start here.
  const control = await openControl({ stateDir, version: packageVersion, onDown: () => {} });
  try {
    await mustHaveNoOffice(team, bus);
    const { url, credentials, monitors } = bus;
    const settings = { servers: url.split(","), team, credentials, monitors };
    const { moveMemoryToNats, moveMemoryToSqlite } =
      await import("../../bus/jetstream/move-memory.ts");
    if (to === "sqlite") return { kind: "moved", ...(await moveMemoryToSqlite(path, settings)) };
    if (to === "nats") return { kind: "moved", ...(await moveMemoryToNats(path, settings)) };
    const { repairLog } = await import("../../bus/jetstream/repair-log.ts");
    const repaired = await repairLog(path, settings);
    return repaired ? { kind: "moved", ...repaired } : { kind: "whole" };
  } finally {
    await control.close();
  }
}

async function mustHaveNoOffice(team: string, { url, credentials }: TeamBus): Promise<void> {
  const { openNatsLine } = await import("../../nats/open-nats-line.ts");
  const line = await openNatsLine(accessOf(url, credentials));
  try {
    const office = await askOffice(line, team, { type: "who" });
    if (!office) return;
    throw errorOf("team_running", `${office.name} runs the team ${team}.`, {
      hint: "Stop it there with 'switchboard down'.",
    });
  } finally {
    await line.close();
  }
}
