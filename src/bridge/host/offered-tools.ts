import type { Logger } from "../../log/logger.ts";
import { createLogger } from "../../log/logger.ts";
import { settlesWithin } from "../../time/time-limit.ts";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";
import type { CallOutcome } from "../call/open-calls.ts";
import { Calls } from "../call/open-calls.ts";
import type { ToolCallRequest } from "../call/perform-call.ts";
import { OpenRequests } from "../serve/count-open-requests.ts";
import type { ToolService } from "../serve/tool-service.ts";
import type { ToolSet } from "../tool/tool-set.ts";

/** Claude Code hides tools behind a tool search unless they say otherwise. An author's own setting wins. */
const LOADED_AT_ONCE = { "anthropic/alwaysLoad": true };

/** How long a peer that does not read may delay the stop. */
const ANSWER_GRACE_MS = 1_000;

/** The tools that a host offers now, and their open calls. */
export class OfferedTools implements ToolService {
  readonly name: string;
  readonly log: Logger;
  readonly #calls: Calls;
  readonly #requests = new OpenRequests();
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

  /** From the next call on. Running calls keep their tool. */
  replace(tools: ToolSet): void {
    this.#tools = tools;
    for (const tell of this.#listeners) tell();
  }

  call(request: ToolCallRequest): Promise<CallOutcome> {
    return this.#calls.run(this.#tools, request);
  }

  openRequest(): () => void {
    return this.#requests.open();
  }

  onToolsChanged(tell: () => void): () => void {
    const listener = (): void => tell();
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends the open calls; resolves when each has its answer on the way, in bounded time. */
  async stop(): Promise<void> {
    this.#calls.stop();
    await settlesWithin(this.#requests.allAnswered(), ANSWER_GRACE_MS);
  }
}

export function schemasOf(tools: ToolSet): ToolSchema[] {
  return tools.schemas.map(({ _meta: meta, ...schema }) => ({
    ...schema,
    _meta: { ...LOADED_AT_ONCE, ...meta },
  }));
}
