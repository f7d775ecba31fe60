import { filteredPage } from "../../bus/read-filtered-page.ts";
import type { Page, Records, Write } from "../../bus/records.ts";
import { pagesOf } from "../../bus/read-all-pages.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { Task } from "../../wire/team/task.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import type { TaskStep } from "./task-states.ts";
import { isEnded, nextState, titleOf } from "./task-states.ts";

const TASKS = "tasks";
const OPEN = { open: "yes" };
const ENDED = { open: "no" };

export interface TaskBookOptions {
  readonly records: Records;
  /** Must make the writes in one step with what it publishes about the change. */
  readonly onChange: (task: Task, writes: readonly Write[]) => void;
  /** A clock that never goes back. */
  readonly nowMs: () => number;
}

export interface TaskQuery {
  /** Only tasks that have not ended. */
  readonly isOpen: boolean;
  readonly fits: (task: Task) => boolean;
  readonly limit: number;
  /** Of the page before. */
  readonly cursor?: string | undefined;
}

/** The tasks of a team. Open tasks are in memory too, but the rows are the truth. */
export class TaskBook {
  readonly #options: TaskBookOptions;
  readonly #open = new Map<string, Task>();
  /** When there was last a sign of life. */
  readonly #activeMs = new Map<string, number>();

  private constructor(options: TaskBookOptions) {
    this.#options = options;
  }

  static async open(options: TaskBookOptions): Promise<TaskBook> {
    const book = new TaskBook(options);
    const open = { collection: TASKS, where: OPEN, order: "oldest" } as const;
    for await (const rows of pagesOf((from) => options.records.query({ ...open, ...from }))) {
      for (const { value } of rows) book.#keep(value as unknown as Task);
    }
    return book;
  }

  /** The row of a request that is about to be sent, to be written together with it. */
  rowOf(request: CCMessage, parent: string | undefined, dependsOn: readonly string[]): Task {
    return {
      id: request.id,
      root_id: request.root_id,
      parent: parent ?? null,
      depends_on: [...dependsOn],
      from_agent: request.from_agent,
      to_agent: request.to_agent,
      title: titleOf(request.content),
      state: "submitted",
      outcome: null,
      created_at: request.timestamp,
      updated_at: request.timestamp,
    };
  }

  writeOf(task: Task): Write {
    return {
      kind: "put",
      collection: TASKS,
      key: task.id,
      value: task as unknown as JsonObject,
      fields: isEnded(task.state) ? ENDED : OPEN,
    };
  }

  /** The request is durable, and its row with it. */
  add(task: Task): void {
    this.#keep(task);
    this.#options.onChange(task, []);
  }

  /** Returns the task if the step has changed it. */
  step(id: string, step: TaskStep, outcome: string | null = null): Task | undefined {
    const task = this.#open.get(id);
    const state = task && nextState(task.state, step);
    if (!task || !state) return undefined;
    this.#activeMs.set(id, this.#options.nowMs());
    if (state === task.state) return undefined;
    const changed: Task = { ...task, state, outcome, updated_at: new Date().toISOString() };
    if (isEnded(state)) this.#end(task);
    else this.#open.set(id, changed);
    this.#options.onChange(changed, [this.writeOf(changed)]);
    return changed;
  }

  /** An open task. */
  get(id: string): Task | undefined {
    return this.#open.get(id);
  }

  /** Any task, also one that has ended. */
  async find(id: string): Promise<Task | undefined> {
    const open = this.#open.get(id);
    if (open) return open;
    const row = await this.#options.records.get(TASKS, id);
    return row?.value as unknown as Task | undefined;
  }

  open(): Task[] {
    return [...this.#open.values()];
  }

  openOf(agent: AgentId): Task[] {
    return this.open().filter(({ to_agent }) => to_agent === agent);
  }

  openBelow(parent: string): Task[] {
    return this.open().filter((task) => task.parent === parent);
  }

  /** The task and all tasks that it is a part of, the nearest first. */
  async lineage(id: string | null): Promise<Task[]> {
    const found: Task[] = [];
    for (let at = id; at !== null && found.length < 100;) {
      const task: Task | undefined = await this.find(at);
      if (!task) break;
      found.push(task);
      at = task.parent;
    }
    return found;
  }

  /** An agent has shown a sign of life: its tasks are not silent. */
  touch(agent: AgentId): void {
    const nowMs = this.#options.nowMs();
    for (const { id, parent } of this.openOf(agent)) {
      this.#activeMs.set(id, nowMs);
      // A task that waits for a part of it is not silent either.
      for (let up = parent; up !== null; up = this.#open.get(up)?.parent ?? null) {
        this.#activeMs.set(up, nowMs);
      }
    }
  }

  /**
   * Open tasks that were silent for this long, except those that wait for a person or for another task, which has a clock
   * of its own.
   */
  silentFor(ms: number): Task[] {
    const before = this.#options.nowMs() - ms;
    return this.open().filter(
      (task) =>
        task.state !== "input_required" &&
        !this.#waitsForOther(task) &&
        (this.#activeMs.get(task.id) ?? 0) <= before,
    );
  }

  /** A page of the tasks that fit, the newest first. With a cursor there may be more, also when the page is empty. */
  page({ isOpen, fits, limit, cursor }: TaskQuery): Promise<Page<Task>> {
    const { records } = this.#options;
    const where = isOpen ? OPEN : {};
    return filteredPage({
      read: (from) => records.query({ collection: TASKS, where, order: "newest", ...from }),
      keep: ({ key, value }) => {
        // A change that is about to be written counts already.
        const task = this.#open.get(key) ?? (value as unknown as Task);
        return fits(task) ? task : undefined;
      },
      limit,
      cursor,
    });
  }

  /** The newest tasks, the newest first. */
  async list(limit: number): Promise<Task[]> {
    return (await this.page({ isOpen: false, fits: () => true, limit })).items;
  }

  #waitsForOther({ id, state, depends_on }: Task): boolean {
    if (this.openBelow(id).length > 0) return true;
    return state === "submitted" && depends_on.some((other) => this.#open.has(other));
  }

  #keep(task: Task): void {
    this.#open.set(task.id, task);
    this.#activeMs.set(task.id, this.#options.nowMs());
  }

  #end({ id, parent }: Task): void {
    this.#open.delete(id);
    this.#activeMs.delete(id);
    // The clocks of those that waited for it begin now.
    const nowMs = this.#options.nowMs();
    for (const task of this.open()) {
      if (task.id === parent || task.depends_on.includes(id)) this.#activeMs.set(task.id, nowMs);
    }
  }
}
