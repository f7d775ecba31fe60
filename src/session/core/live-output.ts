import type { Engine } from "../../engine/engine.ts";
import type { BackgroundTaskEvent, EngineEvent } from "../../engine/events.ts";
import type { TaskOutput } from "../../engine/task-output.ts";
import type { Recorder } from "./recorder.ts";
import type { Timers } from "./timers.ts";

/** How often the output of a running command is looked at, and so the most deltas that come of it. */
const LOOK_MS = 250;
/** Of what has been printed since, only the newest is told: more than that nobody can read. */
const MAX_DELTA_BYTES = 8_192;
/** The log is for what counts, and the result of the call repeats the output: so much for each call. */
const MAX_CALL_BYTES = 4_194_304;

interface Running {
  readonly request_id: string;
  readonly parent?: string;
  readonly output: TaskOutput;
  toldBytes: number;
  skippedBytes: number;
}

/**
 * Tells what commands print while they run. The CLI says which task belongs to which call when a command
 * has run for some seconds; one that is over by then needs no live output. With a CLI that does not, or that
 * keeps the output elsewhere, nothing is told.
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

  /** To be called before the event itself is told: the last words come before the result. */
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
    // A call without a result belongs to a turn; a command that outlives it belongs to none.
    const inTurn = this.#recorder.state.calls.has(request_id);
    const ended = isOver && !inTurn;
    const isWorthTelling = text !== "" || ended || (isOver && running.skippedBytes > 0);
    if (!isWorthTelling) return;
    this.#recorder.tell(
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
