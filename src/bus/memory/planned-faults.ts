import type { ErrorCode } from "../../wire/error-table.ts";
import type { Kind, Operation } from "../store.ts";

/** What goes wrong with one operation. */
export type StoreFault =
  /** It is not done, and the caller gets an error. */
  | { kind: "fail"; code?: ErrorCode }
  /** It is done, but the caller gets an error. */
  | { kind: "lose_answer" }
  /** It is done later, and so is everything after it. */
  | { kind: "delay"; until: Promise<unknown> }
  /** It is done twice, as by a caller that repeats a call of unknown outcome. */
  | { kind: "repeat" }
  /** The store restarts before or after it: the leases are lost, and the caller gets an error. */
  | { kind: "crash"; when: "before" | "after" };

/** Called before each operation; undefined lets it pass. */
export type Faults = (operation: Operation) => StoreFault | undefined;

/** The fault for the `nth` operation of a kind, counted from 1. */
export function faultAt(kind: Kind, nth: number, fault: StoreFault): Faults {
  let seen = 0;
  return (operation) => {
    if (operation.kind !== kind) return undefined;
    seen += 1;
    return seen === nth ? fault : undefined;
  };
}
