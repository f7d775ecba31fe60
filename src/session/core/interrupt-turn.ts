import type { Engine } from "../../engine/index.ts";
import { settlesWithin } from "../../time/time-limit.ts";
import type { CliSupervisor } from "./cli-supervisor.ts";
import type { SessionContext } from "./session-context.ts";

/** How long a turn may take to end after an abort; then the CLI is ended. */
const ABORT_MS = 5_000;
/** How long a turn may take to end after an interrupt; then the interrupt is repeated. */
const CUT_AGAIN_MS = 500;

/** Ends a turn before its time: for an `abort`, or for a message that cannot wait. */
export class Interrupts {
  readonly #parts: SessionContext;
  readonly #life: CliSupervisor;
  readonly #guard: (act: () => void) => void;

  constructor(parts: SessionContext, life: CliSupervisor, guard: (act: () => void) => void) {
    this.#parts = parts;
    this.#life = life;
    this.#guard = guard;
  }

  /** A CLI that runs a tool needs an interrupt. It misses one that comes just as the tool starts, so we repeat it. */
  async cutShort(): Promise<void> {
    const { log, turns, timers } = this.#parts;
    const { engine } = this.#life;
    const turn = log.state.turn?.turnId;
    const awaitsCall = (): boolean =>
      log.state.turn?.turnId === turn &&
      [...log.state.calls.values()].some(({ parent }) => parent === undefined);
    if (!engine || turn === undefined || turns.awaitsResumption || !awaitsCall()) return;
    turns.endsAs("interrupted");
    try {
      while (awaitsCall() && this.#life.engine === engine) {
        await engine.interrupt();
        const over = Promise.race([turns.ended(), engine.closed]);
        await settlesWithin(over, CUT_AGAIN_MS, timers);
      }
    } catch {
      // A CLI that cannot be reached is lost, or reads the message after its tool.
    }
  }

  /** Ends the turn in bounded time; with `drop`, also the messages that wait. */
  async abort(drop: boolean): Promise<void> {
    const { inbox, approvals, turns, recorder, watch } = this.#parts;
    const engine = this.#life.engine;
    this.#guard(() => watch.look());
    if (turns.isOpen) turns.endsAs(undefined);
    // From here on the set of dropped messages is fixed: messages that arrive while we wait for the CLI are not in
    // it.
    if (drop) inbox.renounce();
    // A CLI that is about to resume a cut turn would resume it despite the interrupt.
    const obeys = engine && !turns.awaitsResumption && (await this.#interrupt(engine, drop));
    if (!obeys) {
      inbox.shut();
      approvals.cliGone();
      const end = (): void => this.#guard(() => this.#endWithoutCli());
      if (this.#life.engine) await this.#life.replace("kill", end);
      else end();
    }
    await recorder.durable();
  }

  /** Returns false when the CLI did not obey in time, or died. */
  async #interrupt(engine: Engine, dropQueued: boolean): Promise<boolean> {
    const { timers, turns, inbox } = this.#parts;
    let obeyed = false;
    const interrupted = engine
      .interrupt({ dropQueued })
      .then(() => turns.ended())
      .then(() => (obeyed = true));
    await settlesWithin(Promise.race([interrupted, engine.closed]), ABORT_MS, timers);
    // When there is nothing to stop, a CLI that is slow to start need not be ended.
    return obeyed || !(turns.isOpen || turns.awaitsResumption || inbox.hasUnwanted);
  }

  /** Call this after the CLI is gone: only then is it known which messages it wrote down. */
  #endWithoutCli(): void {
    const { watch, inbox } = this.#parts;
    watch.look();
    inbox.dropUnwanted();
    this.endAborted();
  }

  /** Ends the turn in the log, whatever the CLI does. */
  endAborted(): void {
    const { approvals, turns, inbox } = this.#parts;
    approvals.abortAll();
    if (turns.isOpen || turns.awaitsResumption || inbox.hasUnwanted) {
      turns.end({ stopReason: "aborted", messages: inbox.inTranscript() });
    }
  }
}
