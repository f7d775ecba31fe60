import type { EngineEvent } from "../../engine/index.ts";
import type { Timers } from "../../time/clock.ts";
import { settlesWithin } from "../../time/time-limit.ts";

/** How many ended tasks and calls are remembered, for those who stop them too late. */
const MAX_ENDED = 1_000;

/**
 * The tasks of the running CLI: commands and sub-agents, whether a turn waits for them or not. The CLI names the task
 * of a sub-agent at once, that of a command after some seconds.
 */
export class RunningTasks {
  readonly #timers: Timers;
  /** By task: the call that started it. */
  readonly #running = new Map<string, string | undefined>();
  /** The newest tasks and calls that are over. */
  readonly #ended = new Set<string>();
  #changed = Promise.withResolvers<void>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  take(event: EngineEvent): void {
    if (event.type === "background_task") {
      const { task_id, request_id, state } = event;
      if (state === "started") this.#running.set(task_id, request_id);
      else if (state !== "progress") this.#end(task_id);
    } else if (event.type === "tool_result") this.#remember(event.request_id);
    else return;
    this.#wake();
  }

  /** The CLI is gone, and its tasks with it. */
  reset(): void {
    for (const task of this.#running.keys()) this.#end(task);
    this.#wake();
  }

  isRunning(taskId: string): boolean {
    return this.#running.has(taskId);
  }

  /** Whether this task or call is known to be over. A call in the background has a result before its task ends. */
  hasEnded(id: string): boolean {
    return this.#ended.has(id);
  }

  /** The running task of a call. */
  taskOf(requestId: string): string | undefined {
    return [...this.#running].find(([, call]) => call === requestId)?.[0];
  }

  /** Waits until the condition holds, at most for this time; returns whether it does. */
  async until(holds: () => boolean, withinMs: number): Promise<boolean> {
    const patience = { isOver: false };
    const wait = async (): Promise<void> => {
      while (!holds() && !patience.isOver) await this.#changed.promise;
    };
    await settlesWithin(wait(), withinMs, this.#timers);
    patience.isOver = true;
    return holds();
  }

  #end(taskId: string): void {
    const call = this.#running.get(taskId);
    this.#running.delete(taskId);
    this.#remember(taskId);
    if (call !== undefined) this.#remember(call);
  }

  #remember(id: string): void {
    this.#ended.add(id);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
