import type { Logger } from "../../log/logger.ts";
import type { CallOutcome } from "../call/open-calls.ts";
import type { ToolCallRequest } from "../call/perform-call.ts";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";

/** What a connection needs of its host. */
export interface ToolService {
  readonly name: string;
  readonly log: Logger;
  /** The tools that are offered now. */
  readonly schemas: readonly ToolSchema[];
  call(request: ToolCallRequest): Promise<CallOutcome>;
  /** Call this before working on a request, and the returned function when it has been answered. */
  openRequest(): () => void;
  /** Calls back whenever the offered tools change. Returns an unsubscribe function. */
  onToolsChanged(tell: () => void): () => void;
}
