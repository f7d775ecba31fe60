import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Bus, Delivery } from "../../../src/bus/bus.ts";
import { MemoryDisk } from "../../../src/bus/memory/disk.ts";
import { openMemoryBus } from "../../../src/bus/memory/open-memory-bus.ts";
import { openSqliteBus } from "../../../src/bus/sqlite/open-sqlite-bus.ts";
import type { BusOptions } from "../../../src/bus/stored-bus.ts";
import { tempDir } from "../temp-dir.ts";
import { ManualClock } from "./manual-clock.ts";

/** An adapter as the contract sees it: something that can be opened again and again. */
export interface Adapter {
  name: string;
  place(): (options: BusOptions) => Bus | Promise<Bus>;
}

export const sqliteAdapter: Adapter = {
  name: "sqlite",
  place() {
    const path = join(tempDir(), "bus.db");
    return (options) => openSqliteBus(path, options);
  },
};

export const memoryAdapter: Adapter = {
  name: "memory",
  place() {
    const disk = new MemoryDisk();
    return (options) => openMemoryBus({ ...options, disk });
  },
};

/** A bus on a clock of its own, which closes with the test. */
export async function setStage(adapter: Adapter, options: BusOptions = {}) {
  const clock = new ManualClock();
  const open = adapter.place();
  const stage = {
    clock,
    bus: await open({ clock, ...options }),
    async reopen(): Promise<Bus> {
      await stage.bus.close();
      stage.bus = await open({ clock, ...options });
      return stage.bus;
    },
  };
  onTestFinished(() => stage.bus.close());
  return stage;
}

/** What is there now, and no waiting. */
export const claimNow = (bus: Bus, recipient = "bob", max = 100): Promise<Delivery[]> =>
  bus.claim(recipient, { max, waitMs: 0 });

export const contentsOf = (deliveries: readonly Delivery[]): string[] =>
  deliveries.map(({ message }) => message.content);
