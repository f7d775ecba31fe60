import type { Journal } from "./journal.ts";
import type { Play, ScriptFunction } from "./play-script.ts";
import type { ScriptInput } from "./script-schema.ts";

/** What the request handlers of one server share. */
export interface RehearsalContext {
  readonly journal: Journal;
  readonly play: Play;
  /** Plays another script from its beginning. @throws `script_invalid` */
  setScript(script: ScriptInput | ScriptFunction): void;
  /** Refuses connections for a while. */
  refuse(forMs: number): void;
}
