import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** A part of a step; a retraction voids the text or reasoning of an answer that was cut. */
export type StepPart = LanguageModelV4StreamPart | { type: "retracted"; id: string };

/** One step of a conversation, recorded, so that a repeated request gets the same from its beginning. */
export class ModelStep {
  readonly #parts: StepPart[] = [];
  readonly #waiting = new Set<() => void>();
  #end: { error?: unknown } | undefined;

  get ended(): boolean {
    return this.#end !== undefined;
  }

  get failed(): boolean {
    return this.#end !== undefined && "error" in this.#end;
  }

  /** What its text may be when it comes back: all of it, or all but what was retracted. */
  get texts(): string[] {
    const told: string[] = [];
    const kept = new Map<string, string>();
    for (const part of this.#parts) {
      if (part.type === "retracted") kept.delete(part.id);
      if (part.type !== "text-delta") continue;
      told.push(part.delta);
      kept.set(part.id, (kept.get(part.id) ?? "") + part.delta);
    }
    return [told.join(""), [...kept.values()].join("")];
  }

  /** The calls that it leaves to the caller. */
  get ownCalls(): { id: string; name: string }[] {
    return this.#parts.flatMap((part) =>
      part.type === "tool-call" && part.providerExecuted !== true
        ? [{ id: part.toolCallId, name: part.toolName }]
        : [],
    );
  }

  push(part: StepPart): void {
    if (this.#end) return;
    this.#parts.push(part);
    this.#wake();
  }

  /** The first end counts. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake();
  }

  /**
   * @param signal of this reader alone.
   * @throws what the step failed with, after all its parts; the signal's reason, when there is nothing to read.
   */
  async *read(signal?: AbortSignal): AsyncGenerator<StepPart, void> {
    const wake = (): void => this.#wake();
    signal?.addEventListener("abort", wake);
    try {
      for (let at = 0; ;) {
        const part = this.#parts[at];
        if (part) {
          at += 1;
          yield part;
        } else if (this.#end) {
          if ("error" in this.#end) throw this.#end.error;
          return;
        } else {
          signal?.throwIfAborted();
          await new Promise<void>((resolve) => this.#waiting.add(resolve));
        }
      }
    } finally {
      signal?.removeEventListener("abort", wake);
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
