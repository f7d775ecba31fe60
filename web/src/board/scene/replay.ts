import type { TeamEvent } from "agent-switchboard/wire";
import type { Scene } from "./scene.ts";
import { applyTo, copyScene, emptyScene } from "./scene.ts";

/** Events after one, oldest first; fewer than asked for when the team sends short pages. */
export type ReadEvents = (after: number, limit: number) => Promise<readonly TeamEvent[]>;

const STEP = 500;
const KEPT = 40;

/**
 * The team as it was after any event. It folds from the nearest checkpoint before, and a checkpoint is kept every 500
 * events; of those, and of the events themselves, the 40 that were used last.
 */
export class Replay {
  readonly #read: ReadEvents;
  /** By the number of their last event: a multiple of 500. */
  readonly #checkpoints = new Map<number, Scene>();
  /** By the number before their first event. */
  readonly #pages = new Map<number, readonly TeamEvent[]>();

  constructor(read: ReadEvents) {
    this.#read = read;
  }

  /**
   * The team after the event with this number. `onProgress` is told how far it has read.
   * @throws what reading throws; the signal's reason.
   */
  async at(
    seq: number,
    { signal, onProgress }: { signal?: AbortSignal; onProgress?: (seq: number) => void } = {},
  ): Promise<Scene> {
    let base = Math.floor(seq / STEP) * STEP;
    while (base > 0 && !this.#checkpoints.has(base)) base -= STEP;
    const scene = base === 0 ? emptyScene() : copyScene(this.#checkpoint(base));
    for (; base < seq; base += STEP) {
      const page = await this.#page(base, seq);
      signal?.throwIfAborted();
      for (const event of page) if (event.seq <= seq) applyTo(scene, event);
      const end = base + STEP;
      if (end <= seq) use(this.#checkpoints, end, copyScene(scene));
      onProgress?.(Math.min(end, seq));
    }
    return scene;
  }

  #checkpoint(seq: number): Scene {
    const scene = this.#checkpoints.get(seq) ?? emptyScene();
    use(this.#checkpoints, seq, scene);
    return scene;
  }

  /** The events after `base`, at least up to `until` and at most 500. */
  async #page(base: number, until: number): Promise<readonly TeamEvent[]> {
    const known = this.#pages.get(base) ?? [];
    const wanted = Math.min(until, base + STEP);
    const events = [...known];
    for (let last = events.at(-1)?.seq ?? base; last < wanted;) {
      const more = await this.#read(last, base + STEP - last);
      if (more.length === 0) break;
      events.push(...more);
      last = more.at(-1)?.seq ?? wanted;
    }
    use(this.#pages, base, events);
    return events;
  }
}

function use<Value>(kept: Map<number, Value>, key: number, value: Value): void {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
}
