import type { LogStatus } from "../../bus/jetstream/read-log-status.ts";
import { accessOf } from "../../nats/nats-credentials.ts";
import type { OfficeFacts } from "../../wire/office.ts";
import type { TeamBus } from "../host/remote/open-remote-host.ts";
import { askOffice } from "./ask-office.ts";

export interface BusStatus extends LogStatus {
  /** The office that answers now. */
  readonly office: OfficeFacts | undefined;
}

/** Looks at what a team has on its server. @throws `connection_failed`, `bus_refused`, `bus_unavailable`, `bus_invalid`. */
export async function readBusStatus(
  team: string,
  { url, credentials, monitors }: TeamBus,
): Promise<BusStatus> {
  const { openNatsLine } = await import("../../nats/open-nats-line.ts");
  const { readLogStatus } = await import("../../bus/jetstream/read-log-status.ts");
  const line = await openNatsLine(accessOf(url, credentials));
  try {
    const office = await askOffice(line, team, { type: "who" });
    const servers = url.split(",");
    const status = await readLogStatus({ servers, team, credentials, monitors });
    return { ...status, office };
  } finally {
    await line.close();
  }
}
