import type { Bus } from "../bus.ts";
import type { BusOptions } from "../stored-bus.ts";
import { StoredBus } from "../stored-bus.ts";
import { SqliteStore } from "./sqlite-store.ts";
import type { WorkerSettings } from "./thread-messages.ts";

export interface SqliteBusOptions extends BusOptions {
  checkpointPages?: WorkerSettings["checkpointPages"];
  /** The file is a copy for reading: it may be that of a replica. */
  isCopy?: boolean;
}

export const DEFAULT_MAX_ATTEMPTS = 5;

/**
 * Opens the bus in the file `path`, which is created if it is missing; its directory must exist. One process at a
 * time can have it open. Fails with `bus_in_use`, `bus_invalid`, `disk_full` or `bus_unavailable`.
 */
export async function openSqliteBus(path: string, options: SqliteBusOptions = {}): Promise<Bus> {
  const { maxAttempts = DEFAULT_MAX_ATTEMPTS, checkpointPages, isCopy } = options;
  const store = new SqliteStore({ path, maxAttempts, checkpointPages, isCopy });
  await store.open();
  return new StoredBus(store, options);
}
