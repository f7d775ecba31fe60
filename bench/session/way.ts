import type { Rehearsal } from "../../src/rehearsal/index.ts";
import type { LinePeer } from "./line-peer.ts";

/** Where one run of a way takes place: nothing of the machine's user, nothing of another run. */
export interface Place {
  cwd: string;
  env: Record<string, string>;
  rehearsal: Rehearsal;
}

/** What a line means to somebody who waits for an answer. */
export type Meaning =
  | { kind: "delta" }
  /** To be answered with this. */
  | { kind: "ask"; answer: object }
  | { kind: "done" };

/** A way to drive Claude from another process. */
export interface Way {
  name: string;
  /** Starts the process. */
  start(place: Place): Promise<LinePeer>;
  /** Resolves when the CLI has carried out a first request: all ways have it set the default mode. */
  awaken(peer: LinePeer, place: Place): Promise<void>;
  prompt(text: string): object;
  read(line: Line): Meaning | undefined;
}

/** A line of any of the ways. */
export interface Line {
  type?: string;
  id?: number | string;
  [field: string]: unknown;
}
