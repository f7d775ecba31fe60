import type { Engine } from "../../engine/engine.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { fromWire, toWire } from "../../wire/error-wire.ts";
import type { WireError } from "../../wire/error-wire.ts";
import type { ErrorCode } from "../../wire/error-table.ts";
import { defaultRetryPolicy } from "../../wire/timing.ts";
import type { Timers } from "./timers.ts";

/** A CLI that has lived this long was no failed start: the next wait is short again. */
const GOOD_LIFE_MS = 30_000;
const { firstDelayMs, maxDelayMs, factor, tries } = defaultRetryPolicy;

/** No further start can mend these. */
const fatal: readonly ErrorCode[] = ["session_not_found", "cwd_not_found", "cli_not_found"];

export interface CliKeeper {
  /** Starts a CLI and gives it the work that is left. Throws if there is no way to start one. */
  launch(): Engine;
  /** The CLI is gone, without having been asked to go. `retryMs`: until the next is started. */
  onLost(error: WireError, retryMs: number): void;
  /** It cannot be kept alive. */
  onGivenUp(error: ClaudeCodeError): void;
}

/** Keeps a CLI running for the session: one at a time, and another when it dies, ever less eagerly. */
export class CliLife {
  readonly #keeper: CliKeeper;
  readonly #timers: Timers;
  #engine: Engine | undefined;
  /** Of the CLI that runs now. */
  #ready = false;
  /** Deaths in a row, and how many of them came before the CLI was up. */
  #deaths = 0;
  #stillborn = 0;
  #cancelRestart: (() => void) | undefined;
  #cancelGoodLife: (() => void) | undefined;
  #stopped = false;
  #waiting = Promise.withResolvers<void>();
  #replacing: Promise<void> = Promise.resolve();

  constructor(keeper: CliKeeper, timers: Timers) {
    this.#keeper = keeper;
    this.#timers = timers;
  }

  /** The CLI that takes messages now, if there is one. */
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

  /** Tells that this engine's process has gone by itself. */
  lost(engine: Engine, error: WireError): void {
    if (engine !== this.#engine || this.#stopped) return;
    this.#forget();
    this.#deaths += 1;
    this.#stillborn = this.#ready ? 0 : this.#stillborn + 1;
    if (fatal.includes(error.code) || this.#stillborn >= tries) {
      this.#giveUp(fromWire(error));
      return;
    }
    const retryMs = this.#deaths === 1 ? 0 : delayAfter(this.#deaths - 1);
    this.#keeper.onLost(error, retryMs);
    this.#cancelRestart = this.#timers.after(retryMs, () => this.#restart());
  }

  /**
   * Ends the CLI, which does not obey or does not know what it should, and starts another at once. One after the
   * other: two CLIs on one session would not know of each other.
   */
  replace(how: "close" | "kill", between: () => void = () => {}): Promise<void> {
    const replaced = this.#replacing.then(() => this.#replace(how, between));
    this.#replacing = replaced.catch(() => {});
    return replaced;
  }

  async #replace(how: "close" | "kill", between: () => void): Promise<void> {
    const engine = this.#engine;
    this.#forget();
    await engine?.[how]();
    between();
    if (!this.#stopped) this.#restart();
  }

  /** @throws `cli_exited` when the session ends before. */
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

  /** Ends the CLI for good. Never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRestart?.();
    this.#cancelGoodLife?.();
    this.#waiting.resolve();
    await this.#replacing;
    await this.#engine?.close();
    this.#engine = undefined;
  }

  #nowReady(engine: Engine): void {
    // One that comes up while it is being ended: nothing may be left that keeps the process alive.
    if (engine !== this.#engine || this.#stopped) return;
    this.#ready = true;
    this.#cancelGoodLife = this.#timers.after(GOOD_LIFE_MS, () => (this.#deaths = 0));
  }

  /** One that hangs before it is up is no better than one that ends there; the end of that one is told anyway. */
  #notReady(engine: Engine, error: unknown): void {
    const hangs = error instanceof ClaudeCodeError && error.code === "timeout";
    if (!hangs || engine !== this.#engine || this.#stopped) return;
    void engine.kill().then(() => this.lost(engine, toWire(error)));
  }

  #forget(): void {
    this.#engine = undefined;
    this.#cancelRestart?.();
    this.#cancelGoodLife?.();
  }

  #restart(): void {
    try {
      this.start();
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

const delayAfter = (failures: number): number =>
  Math.min(maxDelayMs, firstDelayMs * factor ** (failures - 1));
