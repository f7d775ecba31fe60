import type { LogSettings } from "../changelog/log-settings.ts";
import { DEFAULT_MAX_ATTEMPTS } from "../sqlite/open-sqlite-bus.ts";
import { SqliteStore } from "../sqlite/sqlite-store.ts";
import type { WorkerSettings } from "../sqlite/thread-messages.ts";
import type { BusOptions } from "../stored-bus.ts";
import { StoredBus } from "../stored-bus.ts";

export interface NatsBusOptions extends BusOptions, Omit<LogSettings, "resumeFrom"> {
  checkpointPages?: WorkerSettings["checkpointPages"];
}

/** The bus of the team's office. */
export class NatsBus extends StoredBus {
  /** Counts the offices of the team: each has a higher one than all before it. */
  readonly epoch: number;

  constructor(store: SqliteStore, { clock }: BusOptions) {
    super(store, { ...(clock && { clock }) });
    this.epoch = store.epoch ?? 0;
  }
}

/**
 * Opens the bus of a team whose log is on NATS, and makes this process the team's office: an earlier office can write
 * nothing more. `path` is the replica, which is created if it is missing; its directory must exist. Fails with
 * `bus_in_use`, `bus_invalid`, `bus_refused`, `bus_unavailable`, `disk_full` or `invalid_params`.
 */
export async function openNatsBus(path: string, options: NatsBusOptions): Promise<NatsBus> {
  const { maxAttempts = DEFAULT_MAX_ATTEMPTS, checkpointPages, clock, ...log } = options;
  const store = new SqliteStore({ path, maxAttempts, checkpointPages, log });
  await store.open();
  return new NatsBus(store, { ...(clock && { clock }) });
}
