import type { Engine } from "../../engine/index.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { fromWire, toWire } from "../../wire/error-wire.ts";
import type { WireError } from "../../wire/error-wire.ts";
import type { ErrorCode } from "../../wire/error-table.ts";
import { defaultRetryPolicy } from "../../wire/timeouts.ts";
import { backOffMs } from "../../time/back-off.ts";
import { settlesWithin } from "../../time/time-limit.ts";
import type { Timers } from "../../time/clock.ts";

/** A CLI that has lived this long did not fail to start: the next back-off begins at its first step. */
const GOOD_LIFE_MS = 30_000;

/** How long a CLI that does not obey may take to end when it is asked, with all the stages of `Engine.close`. */
const END_MS = 15_000;
/** How long a killed CLI may take to be gone, with all that it started. */
const KILL_MS = 8_000;

/** What became of the CLI at the end of the session. `left`: it could not even be killed. */
export type CliEnd = "ended" | "killed" | "left";

/** Errors that another start cannot mend. */
const fatal: readonly ErrorCode[] = [
  "session_not_found",
  "cwd_not_found",
  "cli_not_found",
  "cli_too_old",
];

export interface CliKeeper {
  /** Called before each CLI but the first; undefined when there is nothing to wait for. */
  prepare?(): Promise<void> | undefined;
  /** Starts a CLI and gives it the unfinished work. Throws when no CLI can be started. */
  launch(): Engine;
  /** The CLI ended unexpectedly. The next one starts after `retryMs`. */
  onLost(error: WireError, retryMs: number): void;
  /** No further CLI will be started. */
  onGivenUp(error: ClaudeCodeError): void;
}

/** Keeps one CLI running for the session, and starts another when it dies, with back-off. */
export class CliSupervisor {
  readonly #keeper: CliKeeper;
  readonly #timers: Timers;
  #engine: Engine | undefined;
  /** The CLI that is being ended so that another can take its place. */
  #replaced: Engine | undefined;
  /** Whether the current CLI is up. */
  #ready = false;
  /** Consecutive deaths, and how many of them came before the CLI was up. */
  #deaths = 0;
  #stillborn = 0;
  #cancelRestart: (() => void) | undefined;
  #cancelGoodLife: (() => void) | undefined;
  #stopped = false;
  /** Counts attempted and cancelled starts, so that a start that was overtaken does nothing. */
  #attempts = 0;
  #waiting = Promise.withResolvers<void>();
  #replacing: Promise<void> = Promise.resolve();

  constructor(keeper: CliKeeper, timers: Timers) {
    this.#keeper = keeper;
    this.#timers = timers;
  }

  /** The CLI that takes messages now, if any. */
  get engine(): Engine | undefined {
    return this.#engine?.open === true ? this.#engine : undefined;
  }

  /** Throws what `launch` throws. */
  start(): void {
    const engine = this.#keeper.launch();
    this.#engine = engine;
    this.#ready = false;
    engine.ready().then(
      () => this.#nowReady(engine),
      (error: unknown) => this.#notReady(engine, error),
    );
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers();
  }

  /** Reports that this engine's process has ended by itself. */
  lost(engine: Engine, error: WireError): void {
    if (engine !== this.#engine || this.#stopped) return;
    this.#forget();
    this.#deaths += 1;
    this.#stillborn = this.#ready ? 0 : this.#stillborn + 1;
    if (fatal.includes(error.code) || this.#stillborn >= defaultRetryPolicy.tries) {
      this.#giveUp(fromWire(error));
      return;
    }
    const retryMs = this.#deaths === 1 ? 0 : backOffMs(this.#deaths - 1, defaultRetryPolicy);
    this.#keeper.onLost(error, retryMs);
    this.#cancelRestart = this.#timers.after(retryMs, () => void this.#restart());
  }

  /**
   * Ends the current CLI (it does not obey, or it lacks knowledge that it needs) and then starts another. Never both
   * at once: two CLIs on one session would overwrite each other's conversation.
   */
  replace(how: "close" | "kill", between: () => void = () => {}): Promise<void> {
    const replaced = this.#replacing.then(() => this.#replace(how, between));
    this.#replacing = replaced.catch(() => {});
    return replaced;
  }

  async #replace(how: "close" | "kill", between: () => void): Promise<void> {
    const engine = this.#engine;
    this.#forget();
    this.#replaced = engine;
    await engine?.[how]();
    this.#replaced = undefined;
    between();
    if (!this.#stopped) await this.#restart();
  }

  /** @throws `cli_exited` when the session ends first. */
  async whenReady(): Promise<Engine> {
    for (;;) {
      if (this.#stopped) throw errorOf("cli_exited", "The session is closing.");
      const engine = this.engine;
      if (engine) {
        try {
          await engine.ready();
          if (engine === this.engine) return engine;
        } catch (thrown) {
          if (engine === this.engine) throw thrown;
        }
      }
      if (!this.engine) await this.#waiting.promise;
    }
  }

  /** Ends the CLI for good, in bounded time: one that has not ended when it was asked to is killed. Never rejects. */
  async stop(): Promise<CliEnd> {
    this.#stopped = true;
    this.#cancelRestart?.();
    this.#cancelGoodLife?.();
    this.#waiting.resolve();
    const end = await this.#endInStages();
    this.#engine = undefined;
    return end;
  }

  async #endInStages(): Promise<CliEnd> {
    const asked = this.#replacing.then(() => this.#engine?.close());
    if (await settlesWithin(asked, END_MS, this.#timers)) return "ended";
    const running = [this.#replaced, this.#engine].filter((engine) => engine !== undefined);
    // What takes so long is then the preparation of the next CLI, which will not be started.
    if (running.length === 0) return "ended";
    const killed = Promise.allSettled(running.map((engine) => engine.kill()));
    return (await settlesWithin(killed, KILL_MS, this.#timers)) ? "killed" : "left";
  }

  #nowReady(engine: Engine): void {
    // A CLI may come up while it is being ended; it must not keep the process alive.
    if (engine !== this.#engine || this.#stopped) return;
    this.#ready = true;
    this.#cancelGoodLife = this.#timers.after(GOOD_LIFE_MS, () => (this.#deaths = 0));
  }

  /** A CLI that hangs before it is up counts as one that ended; if it did end, its end is reported anyway. */
  #notReady(engine: Engine, error: unknown): void {
    const hangs = error instanceof ClaudeCodeError && error.code === "timeout";
    if (!hangs || engine !== this.#engine || this.#stopped) return;
    void engine.kill().then(() => this.lost(engine, toWire(error)));
  }

  #forget(): void {
    this.#engine = undefined;
    this.#attempts += 1;
    this.#cancelRestart?.();
    this.#cancelGoodLife?.();
  }

  /** Starts at once when there is nothing to prepare. Does nothing when it was stopped or replaced meanwhile. */
  async #restart(): Promise<void> {
    const attempt = ++this.#attempts;
    try {
      const prepared = this.#keeper.prepare?.();
      if (prepared) await prepared;
      if (attempt === this.#attempts && !this.#stopped) this.start();
    } catch (thrown) {
      this.#giveUp(thrown instanceof ClaudeCodeError ? thrown : fromWire(toWire(thrown)));
    }
  }

  #giveUp(error: ClaudeCodeError): void {
    this.#stopped = true;
    this.#waiting.resolve();
    this.#keeper.onGivenUp(error);
  }
}
