import type { BackgroundTaskEvent, Engine, EngineEvent, TaskOutput } from "../../engine/index.ts";
import type { Recorder } from "./event-recorder.ts";
import type { Timers } from "../../time/clock.ts";

/** How often the output of a running command is read, and so the maximum rate of deltas. */
const LOOK_MS = 250;
/** Of the output since the last look, only the newest part is recorded: people cannot read more. */
const MAX_DELTA_BYTES = 8_192;
/** The call's result repeats the output, so the log records at most this much of each call. */
const MAX_CALL_BYTES = 4_194_304;

interface Running {
  readonly request_id: string;
  readonly parent?: string;
  readonly output: TaskOutput;
  toldBytes: number;
  skippedBytes: number;
}

/**
 * Records what commands print while they run. The CLI names the task of a call when the command has run for some
 * seconds; a shorter command needs no live output. A CLI that does not name it, or that stores output elsewhere, gets
 * no live output.
 */
export class LiveOutput {
  readonly #recorder: Recorder;
  readonly #timers: Timers;
  readonly #running = new Map<string, Running>();
  #cancelLook: (() => void) | undefined;

  constructor(recorder: Recorder, timers: Timers) {
    this.#recorder = recorder;
    this.#timers = timers;
  }

  /** Call this before the event itself is recorded: the last output comes before the result. */
  take(event: EngineEvent, engine: Pick<Engine, "openTaskOutput">): void {
    if (event.type !== "background_task") return;
    if (event.state === "started") this.#start(event, engine);
    else if (event.state !== "progress") this.#end(event.task_id);
  }

  /** The CLI is gone, and its commands with it. */
  reset(): void {
    for (const { output } of this.#running.values()) output.close();
    this.#running.clear();
    this.#cancelLook?.();
    this.#cancelLook = undefined;
  }

  #start(event: BackgroundTaskEvent, engine: Pick<Engine, "openTaskOutput">): void {
    const { task_id, request_id, kind } = event;
    const { sessionId, calls } = this.#recorder.state;
    if (kind !== "local_bash" || request_id === undefined || sessionId === undefined) return;
    if (this.#running.has(task_id)) return;
    const output = engine.openTaskOutput(sessionId, task_id);
    if (!output) return;
    const parent = calls.get(request_id)?.parent;
    const mark = parent === undefined ? {} : { parent };
    this.#running.set(task_id, { request_id, ...mark, output, toldBytes: 0, skippedBytes: 0 });
    this.#look();
  }

  #look(): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    for (const running of this.#running.values()) this.#tell(running, false);
    if (this.#running.size > 0) this.#cancelLook = this.#timers.after(LOOK_MS, () => this.#look());
  }

  #end(taskId: string): void {
    const running = this.#running.get(taskId);
    if (!running) return;
    this.#running.delete(taskId);
    this.#tell(running, true);
    running.output.close();
  }

  #tell(running: Running, isOver: boolean): void {
    const { request_id, parent, output } = running;
    const room = Math.min(MAX_DELTA_BYTES, MAX_CALL_BYTES - running.toldBytes);
    const { text, skippedBytes } = output.read(room);
    running.toldBytes += Buffer.byteLength(text);
    running.skippedBytes += skippedBytes;
    // A call without a result belongs to a turn; a command that outlives its call belongs to none.
    const inTurn = this.#recorder.state.calls.has(request_id);
    const ended = isOver && !inTurn;
    const isWorthTelling = text !== "" || ended || (isOver && running.skippedBytes > 0);
    if (!isWorthTelling) return;
    this.#recorder.record(
      {
        type: "tool_output_delta",
        request_id,
        ...(parent !== undefined && { parent }),
        text,
        ...(running.skippedBytes > 0 && { skipped_bytes: running.skippedBytes }),
        ...(ended && { ended }),
      },
      { inTurn },
    );
    running.skippedBytes = 0;
  }
}
