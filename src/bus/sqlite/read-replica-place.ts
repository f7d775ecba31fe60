import { DatabaseSync } from "node:sqlite";
import type { ReplicaState } from "../changelog/replica.ts";
import { readReplica } from "../changelog/replica.ts";
import { withCopyOf } from "./open-copy.ts";

/** How far the replica in a file is; undefined when it is none. Fails with `bus_in_use` when it is being written. */
export const readReplicaPlace = (path: string): Promise<ReplicaState | undefined> =>
  withCopyOf(path, (copy) => {
    const db = new DatabaseSync(copy);
    try {
      return readReplica(db);
    } finally {
      db.close();
    }
  });
