import type { Kind, Operation, Outcome } from "./store.ts";

/** What the parts of a bus may ask of the whole. */
export interface Asking {
  nowMs(): number;
  run<K extends Kind>(operation: Operation<K>): Promise<Outcome<K>>;
}
