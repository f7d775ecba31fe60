import type { Engine } from "../../engine/index.ts";
import type { Choices } from "../../wire/session/choices.ts";
import type { PermissionMode } from "../../wire/session/shared-schemas.ts";
import { PermissionModeSchema } from "../../wire/session/shared-schemas.ts";

/** The lists that a person chooses from, as the newest CLI has named them. */
export class OfferedChoices {
  #known: Choices = {};
  readonly #listeners = new Set<() => void>();

  get known(): Choices {
    return this.#known;
  }

  /** Calls the listener whenever a list has changed. */
  watch(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** A CLI is started in this mode. */
  startedIn(mode: PermissionMode): void {
    this.#update({ modes: modesFor(mode) });
  }

  /** Asks a CLI that is up. A list that it cannot name, as an old one may not, is as before. */
  async ask(engine: Engine): Promise<void> {
    const [commands, models] = await Promise.allSettled([engine.slashCommands(), engine.models()]);
    this.#update({
      ...(commands.status === "fulfilled" && { slash_commands: commands.value }),
      ...(models.status === "fulfilled" && { models: models.value }),
    });
  }

  /** The CLI has other commands now, as after a skill was added. Rejects when the CLI is gone. */
  async askCommands(engine: Engine): Promise<void> {
    this.#update({ slash_commands: await engine.slashCommands() });
  }

  #update(newer: Choices): void {
    const next = { ...this.#known, ...newer };
    if (JSON.stringify(next) === JSON.stringify(this.#known)) return;
    this.#known = next;
    for (const listener of this.#listeners) listener();
  }
}

/** Claude Code lets nobody switch all questions off in a session that was started with them. */
const modesFor = (startMode: PermissionMode): PermissionMode[] =>
  PermissionModeSchema.options.filter(
    (mode) => mode !== "bypassPermissions" || startMode === "bypassPermissions",
  );
