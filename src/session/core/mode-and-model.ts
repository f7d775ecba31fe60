import type { Engine } from "../../engine/index.ts";
import type { Effort, PermissionMode } from "../../wire/session/shared-schemas.ts";
import { PermissionModeSchema } from "../../wire/session/shared-schemas.ts";
import type { CliSupervisor } from "./cli-supervisor.ts";
import type { Recorder } from "./event-recorder.ts";
import type { SessionOptions } from "./session-types.ts";

/**
 * An alias: Opus for planning, Sonnet for the work. The model that runs must not be taken for the one that was
 * chosen.
 */
const BY_MODE = "opusplan";

type Wishes = Pick<SessionOptions, "permissionMode" | "model" | "effort">;

interface Change {
  /** Only a CLI can tell whether the change is allowed. */
  mustAsk?: boolean;
  apply: (engine: Engine) => Promise<void>;
  record: () => void;
}

/**
 * Mode, model and effort: changed in the running CLI, and kept in the log for the next one. While no CLI runs, only
 * the log changes, and the next CLI is started with it.
 */
export class ModeAndModel {
  readonly #recorder: Recorder;
  readonly #life: CliSupervisor;
  readonly #firstMode: PermissionMode;
  /** Requests that the CLI has not answered yet. It reports the new mode without saying who asked for it. */
  readonly #modeRequests = new Set<{ mode: PermissionMode; by: string | undefined }>();

  /** @param firstMode applies until the log names another. */
  constructor(recorder: Recorder, life: CliSupervisor, firstMode: PermissionMode) {
    this.#recorder = recorder;
    this.#life = life;
    this.#firstMode = firstMode;
  }

  get mode(): PermissionMode {
    return this.#recorder.state.mode ?? this.#firstMode;
  }

  /** @throws `execution_failed` when the CLI refuses, for example a mode that it was not started for. */
  async setMode(mode: PermissionMode, by: string | undefined): Promise<void> {
    await this.#change({
      // The next CLI might be refused as well, and then there would be none.
      mustAsk: mode === "bypassPermissions",
      apply: (engine) => this.#requestMode(engine, mode, by),
      record: () => this.#recordMode(mode, by),
    });
  }

  async setModel(model: string, by: string | undefined): Promise<void> {
    const apply = (engine: Engine) => engine.setModel(model);
    await this.#change({ apply, record: () => this.#choose(model, by) });
  }

  async setThinking(effort: Effort | null, by: string | undefined): Promise<void> {
    await this.#change({
      apply: (engine) => engine.setEffort(effort),
      record: () => this.#effortIs(effort, by),
    });
  }

  /** The options of this start take precedence over the log, for each CLI from here on. */
  prefer({ permissionMode, model, effort }: Wishes): void {
    const { state } = this.#recorder;
    if (permissionMode !== undefined) this.#recordMode(permissionMode, undefined);
    // Without a value in the log the options apply anyway, and the CLI reports what it made of them.
    const isToTell = state.model !== undefined || model === BY_MODE;
    if (model !== undefined && isToTell) this.#choose(model);
    if (effort !== undefined && state.effort && state.effort !== effort) this.#effortIs(effort);
  }

  /** As the CLI reports it. The log leaves out a mode that only a newer version knows. */
  modeIs(mode: string): void {
    const request = [...this.#modeRequests].find((each) => each.mode === mode);
    this.#recordMode(mode, request?.by);
  }

  async #requestMode(engine: Engine, mode: PermissionMode, by: string | undefined): Promise<void> {
    const request = { mode, by };
    this.#modeRequests.add(request);
    try {
      await engine.setMode(mode);
    } finally {
      this.#modeRequests.delete(request);
    }
  }

  #recordMode(mode: string, by: string | undefined): void {
    const known = PermissionModeSchema.safeParse(mode);
    const previous = this.mode;
    if (!known.success || known.data === previous) return;
    this.#recorder.record({
      type: "mode_changed",
      mode: known.data,
      previous,
      ...(by !== undefined && { by }),
    });
  }

  /** As the CLI reports it: the model behind the name that it was given. */
  modelIs(model: string): void {
    const { model: previous, modelAlias } = this.#recorder.state;
    if (model === "" || model === previous) return;
    const alias = modelAlias ?? (previous === BY_MODE ? previous : undefined);
    this.#recordModel(model, alias !== undefined && { alias });
  }

  #choose(model: string, by?: string): void {
    const { model: previous, modelAlias } = this.#recorder.state;
    if (model === previous && modelAlias === undefined) return;
    this.#recordModel(model, by !== undefined && { by });
  }

  #recordModel(model: string, more: { alias?: string; by?: string } | false): void {
    const { model: previous } = this.#recorder.state;
    const before = previous !== undefined && { previous };
    this.#recorder.record({ type: "model_changed", model, ...before, ...more });
  }

  #effortIs(effort: Effort | null, by?: string): void {
    const { model = "default", modelAlias: alias } = this.#recorder.state;
    const mark = { ...(alias !== undefined && { alias }), ...(by !== undefined && { by }) };
    this.#recorder.record({ type: "model_changed", model, effort, ...mark });
  }

  /** Recorded before the CLI reports the change, because the CLI does not know who asked for it. */
  async #change({ mustAsk = false, apply, record }: Change): Promise<void> {
    if (this.#life.engine || mustAsk) {
      const engine = await this.#life.whenReady();
      try {
        await apply(engine);
        record();
      } catch (thrown) {
        // The CLI is gone meanwhile: the next one is started with what the log says.
        if (engine === this.#life.engine || mustAsk) throw thrown;
        record();
      }
    } else {
      record();
    }
    await this.#recorder.durable();
  }
}
