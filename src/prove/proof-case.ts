import type { Tool } from "../bridge/index.ts";
import type { ScriptInput } from "../rehearsal/index.ts";
import type { Scene } from "./scene.ts";

/** What the model answers, as in a script. */
export type Rules = NonNullable<ScriptInput["rules"]>;

/** One thing that must hold on a CLI. */
export interface ProofCase {
  /** For `--only` and for programs. */
  readonly name: string;
  /** What holds, as a sentence for people. */
  readonly title: string;
  /** Every script also answers a greeting and a farewell. */
  readonly rules?: Rules;
  /** What sessions lack on an unproven version if the case fails there. */
  readonly offUnlessProven?: string;
  /** Flags for agent-socket. */
  readonly flags?: readonly string[];
  /** Our own functions, which the session gets through the bridge as `mcp__proof__NAME`. */
  readonly tools?: readonly Tool[];
  /** Plays the case; reports faults with `scene.check`, and throws when something never happens. */
  play(scene: Scene): Promise<void>;
}
