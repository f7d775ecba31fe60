import type { Engine } from "../../engine/engine.ts";
import type { Effort, PermissionMode } from "../../wire/session-terms.ts";
import { PermissionModeSchema } from "../../wire/session-terms.ts";
import type { CliLife } from "./cli-life.ts";
import type { Recorder } from "./recorder.ts";
import type { SessionOptions } from "./session-types.ts";

/** Opus where it plans, Sonnet where it works: the one that runs must not be taken for the one that was chosen. */
const BY_MODE = "opusplan";

type Wishes = Pick<SessionOptions, "permissionMode" | "model" | "effort">;

interface Change {
  by: string | undefined;
  /** Only a CLI can say whether it may be. */
  mustAsk?: boolean;
  apply: (engine: Engine) => Promise<void>;
  tell: () => void;
}

/**
 * Mode, model and effort: changed in the CLI that runs, and kept in the log for the next one. While none
 * runs, the log alone is changed, and the next CLI is started with it.
 */
export class Control {
  readonly #recorder: Recorder;
  readonly #life: CliLife;
  readonly #firstMode: PermissionMode;
  /** Whoever asks for a change; the CLI tells of it without saying who it was. */
  #by: string | undefined;

  /** `firstMode` counts until the log names another. */
  constructor(recorder: Recorder, life: CliLife, firstMode: PermissionMode) {
    this.#recorder = recorder;
    this.#life = life;
    this.#firstMode = firstMode;
  }

  get mode(): PermissionMode {
    return this.#recorder.state.mode ?? this.#firstMode;
  }

  /** @throws `execution_failed` when the CLI refuses, such as a mode that it was not started for */
  async setMode(mode: PermissionMode, by: string | undefined): Promise<void> {
    await this.#change({
      by,
      // The next CLI could be refused as well, and then there would be none.
      mustAsk: mode === "bypassPermissions",
      apply: (engine) => engine.setMode(mode),
      tell: () => this.modeIs(mode, by),
    });
  }

  async setModel(model: string, by: string | undefined): Promise<void> {
    const apply = (engine: Engine) => engine.setModel(model);
    await this.#change({ by, apply, tell: () => this.#choose(model, by) });
  }

  async setThinking(effort: Effort | null, by: string | undefined): Promise<void> {
    await this.#change({
      by,
      apply: (engine) => engine.setEffort(effort),
      tell: () => this.#effortIs(effort, by),
    });
  }

  /** What a start asks for beats what the log says, for each CLI from here on. */
  prefer({ permissionMode, model, effort }: Wishes): void {
    const { state } = this.#recorder;
    if (permissionMode !== undefined) this.modeIs(permissionMode);
    // Where the log says nothing they count anyway, and the CLI tells what it has made of them.
    const isToTell = state.model !== undefined || model === BY_MODE;
    if (model !== undefined && isToTell) this.#choose(model);
    if (effort !== undefined && state.effort && state.effort !== effort) this.#effortIs(effort);
  }

  /** As the CLI tells it, or as it was asked for. A mode of a newer CLI is left untold. */
  modeIs(mode: string, by = this.#by): void {
    const known = PermissionModeSchema.safeParse(mode);
    const previous = this.mode;
    if (!known.success || known.data === previous) return;
    this.#recorder.tell({
      type: "mode_changed",
      mode: known.data,
      previous,
      ...(by !== undefined && { by }),
    });
  }

  /** As the CLI tells it: what it has made of the name that it was given. */
  modelIs(model: string): void {
    const { model: previous, modelAlias } = this.#recorder.state;
    if (model === "" || model === previous) return;
    const alias = modelAlias ?? (previous === BY_MODE ? previous : undefined);
    this.#tellModel(model, alias !== undefined && { alias });
  }

  #choose(model: string, by?: string): void {
    const { model: previous, modelAlias } = this.#recorder.state;
    if (model === previous && modelAlias === undefined) return;
    this.#tellModel(model, by !== undefined && { by });
  }

  #tellModel(model: string, more: { alias?: string; by?: string } | false): void {
    const { model: previous } = this.#recorder.state;
    const before = previous !== undefined && { previous };
    this.#recorder.tell({ type: "model_changed", model, ...before, ...more });
  }

  #effortIs(effort: Effort | null, by?: string): void {
    const { model = "default", modelAlias: alias } = this.#recorder.state;
    const mark = { ...(alias !== undefined && { alias }), ...(by !== undefined && { by }) };
    this.#recorder.tell({ type: "model_changed", model, effort, ...mark });
  }

  /** Told before the CLI can tell it, which does not know by whom it was asked. */
  async #change({ by, mustAsk = false, apply, tell }: Change): Promise<void> {
    if (this.#life.engine || mustAsk) {
      const engine = await this.#life.whenReady();
      this.#by = by;
      try {
        await apply(engine);
        tell();
      } catch (thrown) {
        // Gone meanwhile: the next one is started with what the log says.
        if (engine === this.#life.engine || mustAsk) throw thrown;
        tell();
      } finally {
        this.#by = undefined;
      }
    } else {
      tell();
    }
    await this.#recorder.durable();
  }
}
