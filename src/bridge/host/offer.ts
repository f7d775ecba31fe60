import type { Logger } from "../../log/logger.ts";
import { createLogger } from "../../log/logger.ts";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";
import type { CallOutcome } from "../call/calls.ts";
import { Calls } from "../call/calls.ts";
import type { CallRequest } from "../call/perform.ts";
import { Owed } from "../serve/owed.ts";
import type { ToolService } from "../serve/tool-service.ts";
import type { ToolSet } from "../tool/tool-set.ts";

/** Claude Code hides tools behind a tool search unless they say otherwise. An author's own word wins. */
const LOADED_AT_ONCE = { "anthropic/alwaysLoad": true };

/** How long a peer that does not read may hold up the stop. */
const ANSWER_GRACE_MS = 1_000;

/** The tools that a host offers now, and the calls of them that are open. */
export class Offer implements ToolService {
  readonly name: string;
  readonly log: Logger;
  readonly #calls: Calls;
  readonly #owed = new Owed();
  readonly #listeners = new Set<() => void>();
  #tools: ToolSet;

  constructor(name: string, tools: ToolSet) {
    this.name = name;
    this.log = createLogger({ name: "bridge" }).child({ host: name });
    this.#calls = new Calls(name, this.log);
    this.#tools = tools;
  }

  get schemas(): ToolSchema[] {
    return schemasOf(this.#tools);
  }

  /** From the next call on. Calls that run already go on with the tool that they found. */
  replace(tools: ToolSet): void {
    this.#tools = tools;
    for (const tell of this.#listeners) tell();
  }

  call(request: CallRequest): Promise<CallOutcome> {
    return this.#calls.run(this.#tools, request);
  }

  owe(): () => void {
    return this.#owed.owe();
  }

  onToolsChanged(tell: () => void): () => void {
    const listener = (): void => tell();
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends the open calls; resolves when each has its answer on the way, in bounded time. */
  async stop(): Promise<void> {
    this.#calls.stop();
    await within(ANSWER_GRACE_MS, this.#owed.none());
  }
}

export function schemasOf(tools: ToolSet): ToolSchema[] {
  return tools.schemas.map(({ _meta: meta, ...schema }) => ({
    ...schema,
    _meta: { ...LOADED_AT_ONCE, ...meta },
  }));
}

async function within(graceMs: number, done: Promise<void>): Promise<void> {
  const grace = Promise.withResolvers<void>();
  const timer = setTimeout(grace.resolve, graceMs);
  await Promise.race([done, grace.promise]);
  clearTimeout(timer);
}
