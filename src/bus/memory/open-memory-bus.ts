import type { Bus } from "../bus.ts";
import type { BusOptions } from "../stored-bus.ts";
import { StoredBus } from "../stored-bus.ts";
import type { MemoryDisk } from "./disk.ts";
import type { Faults } from "./planned-faults.ts";
import { MemoryStore } from "./memory-store.ts";

const DEFAULT_MAX_ATTEMPTS = 5;

export interface MemoryBusOptions extends BusOptions {
  /** Opened again, it holds what an earlier bus left on it. */
  disk?: MemoryDisk;
  faults?: Faults;
}

/** A bus for tests: it forgets everything with its disk, and fails on request. */
export function openMemoryBus(options: MemoryBusOptions = {}): Bus {
  const { maxAttempts = DEFAULT_MAX_ATTEMPTS } = options;
  return new StoredBus(new MemoryStore({ ...options, maxAttempts }), options);
}
