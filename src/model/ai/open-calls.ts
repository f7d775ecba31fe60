import type { ToolUseEvent } from "../../engine/events.ts";

interface OpenCall {
  /** Told by the session. */
  use?: ToolUseEvent;
  /** Arrived at the tool, which waits. */
  answer?: (result: unknown) => void;
  isOwn: boolean;
  told: boolean;
}

/**
 * The calls of an answer that have no result yet. The session tells a call over one pipe, and makes it over
 * another, so that either may come first.
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

  /** Resolves with what the call is answered with. */
  hold(id: string): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const call = this.#calls.get(id) ?? { isOwn: true, told: false };
    this.#calls.set(id, { ...call, answer: resolve });
    return promise;
  }

  /** A result stands in the conversation. Gives back the call, unless it was answered by `answer`. */
  finish(id: string): { use: ToolUseEvent; told: boolean } | undefined {
    const { use, told = false } = this.#calls.get(id) ?? {};
    this.#calls.delete(id);
    return use && { use, told };
  }

  /**
   * Calls that Claude Code answers itself and that nobody was told of. None beside calls that wait for the
   * caller: the step may then end before their results, and the AI SDK wants both in one step.
   */
  takeForeign(): ToolUseEvent[] {
    const all = [...this.#calls.values()];
    if (all.some(({ isOwn }) => isOwn)) return [];
    const fresh = all.filter(({ told }) => !told);
    for (const call of fresh) call.told = true;
    return fresh.flatMap(({ use }) => use ?? []);
  }

  /** A step ends. Calls of Claude Code's own whose results come later are told again, beside their results. */
  turnStep(): void {
    for (const call of this.#calls.values()) if (!call.isOwn) call.told = false;
  }

  /** Those that wait and that nobody was told of. */
  takeNew(): ToolUseEvent[] {
    const fresh = [...this.#calls.values()].filter(
      ({ use, answer, told }) => use && answer && !told,
    );
    for (const call of fresh) call.told = true;
    return fresh.flatMap(({ use }) => use ?? []);
  }

  /** Those that the caller was told of and has to answer. */
  get waiting(): string[] {
    return [...this.#calls].flatMap(([id, { told, answer }]) => (told && answer ? [id] : []));
  }

  /** Nothing but what the caller has to answer keeps the session from going on. */
  get onlyWaiting(): boolean {
    return [...this.#calls.values()].every(({ told, answer }) => told && answer);
  }

  answer(id: string, result: unknown): void {
    this.#calls.get(id)?.answer?.(result);
    this.#calls.delete(id);
  }
}
