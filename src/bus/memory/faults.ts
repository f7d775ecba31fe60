import type { ErrorCode } from "../../wire/error-table.ts";
import type { Kind, Operation } from "../store.ts";

/** What goes wrong with one operation. */
export type Fault =
  /** It is not done, and the caller hears so. */
  | { kind: "fail"; code?: ErrorCode }
  /** It is done, but the caller hears of a failure. */
  | { kind: "lose_answer" }
  /** It is done later, and with it all that was asked after it. */
  | { kind: "delay"; until: Promise<unknown> }
  /** It is done twice, as by somebody who repeats what he is not sure of. */
  | { kind: "repeat" }
  /** The store begins anew before or after it: the leases are lost, and the caller hears of a failure. */
  | { kind: "crash"; when: "before" | "after" };

/** Asked before each operation; undefined lets it pass. */
export type Faults = (operation: Operation) => Fault | undefined;

/** The fault for the `nth` operation of a kind, counted from 1. */
export function faultAt(kind: Kind, nth: number, fault: Fault): Faults {
  let seen = 0;
  return (operation) => {
    if (operation.kind !== kind) return undefined;
    seen += 1;
    return seen === nth ? fault : undefined;
  };
}
