import type { DeadRow, Operation, StoreOutcome } from "../store.ts";
import type { MemoryMessage, MemoryDisk } from "./disk.ts";
import { pageOfRows } from "./pages.ts";
import { writeAll } from "./records.ts";

export function deadList(
  disk: MemoryDisk,
  { all, page }: Operation<"deadList">,
): StoreOutcome<"deadList"> {
  const rows = disk.messages.flatMap((kept) => rowOf(kept) ?? []);
  return pageOfRows(
    rows.filter(({ fate }) => all || fate === "open"),
    page,
  );
}

export function deadGet(disk: MemoryDisk, { id }: Operation<"deadGet">): StoreOutcome<"deadGet"> {
  const kept = disk.byId.get(id);
  return kept && rowOf(kept);
}

export function deadResend(
  disk: MemoryDisk,
  { id, letter, writes, nowMs }: Operation<"deadResend">,
): StoreOutcome<"deadResend"> {
  if (disk.byId.has(letter.id)) return "conflict";
  if (disk.byId.get(id)?.dead?.fate !== "open") return "gone";
  writeAll(disk, writes, nowMs);
  close(disk, id, "resent", letter.id);
  disk.add(letter, nowMs);
  return "sent";
}

export const deadDiscard = (
  disk: MemoryDisk,
  { id }: Operation<"deadDiscard">,
): StoreOutcome<"deadDiscard"> => close(disk, id, "discarded", null);

function close(
  disk: MemoryDisk,
  id: string,
  fate: DeadRow["fate"],
  resentAs: string | null,
): boolean {
  const dead = disk.byId.get(id)?.dead;
  if (dead?.fate !== "open") return false;
  Object.assign(dead, { fate, resentAs });
  return true;
}

function rowOf({ body, attempts, settledAt, dead }: MemoryMessage): DeadRow | undefined {
  return dead && { body, attempts, diedAt: settledAt ?? 0, ...dead };
}
