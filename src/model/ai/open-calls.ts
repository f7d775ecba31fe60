import type { ToolUseEvent } from "../../engine/index.ts";

interface OpenCall {
  /** Reported by the session. */
  use?: ToolUseEvent;
  /** The call has reached the tool, which waits. */
  answer?: (result: unknown) => void;
  isOwn: boolean;
  told: boolean;
}

/**
 * The calls of an answer that have no result yet. The session reports a call over one pipe and makes it over another,
 * so either may come first.
 */
export class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();
  readonly #isOwn: (tool: string) => boolean;

  constructor(isOwn: (tool: string) => boolean) {
    this.#isOwn = isOwn;
  }

  use(event: ToolUseEvent): void {
    const isOwn = this.#isOwn(event.tool);
    const call = this.#calls.get(event.request_id) ?? { isOwn, told: false };
    this.#calls.set(event.request_id, { ...call, use: event, isOwn });
  }

  /** Resolves with the call's result. */
  hold(id: string): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const call = this.#calls.get(id) ?? { isOwn: true, told: false };
    this.#calls.set(id, { ...call, answer: resolve });
    return promise;
  }

  /** The conversation has the result. Returns the call, unless `answer` answered it. */
  finish(id: string): { use: ToolUseEvent; told: boolean } | undefined {
    const { use, told = false } = this.#calls.get(id) ?? {};
    this.#calls.delete(id);
    return use && { use, told };
  }

  /**
   * Calls that Claude Code answers itself and that were not reported yet. None while calls wait for the caller: the
   * step may then end before their results, and the AI SDK wants both in one step.
   */
  takeForeign(): ToolUseEvent[] {
    const all = [...this.#calls.values()];
    if (all.some(({ isOwn }) => isOwn)) return [];
    const fresh = all.filter(({ told }) => !told);
    for (const call of fresh) call.told = true;
    return fresh.flatMap(({ use }) => use ?? []);
  }

  /** A step ends. Calls of Claude Code's own whose results come later are reported again, beside their results. */
  turnStep(): void {
    for (const call of this.#calls.values()) if (!call.isOwn) call.told = false;
  }

  /** Waiting calls that were not reported yet. */
  takeNew(): ToolUseEvent[] {
    const fresh = [...this.#calls.values()].filter(
      ({ use, answer, told }) => use && answer && !told,
    );
    for (const call of fresh) call.told = true;
    return fresh.flatMap(({ use }) => use ?? []);
  }

  /** Reported calls that the caller has to answer. */
  get waiting(): string[] {
    return [...this.#calls].flatMap(([id, { told, answer }]) => (told && answer ? [id] : []));
  }

  /** The session waits only for the caller. */
  get onlyWaiting(): boolean {
    return [...this.#calls.values()].every(({ told, answer }) => told && answer);
  }

  answer(id: string, result: unknown): void {
    this.#calls.get(id)?.answer?.(result);
    this.#calls.delete(id);
  }
}
