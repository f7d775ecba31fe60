import type { Logger } from "../../log/logger.ts";
import type { CallOutcome } from "../call/calls.ts";
import type { CallRequest } from "../call/perform.ts";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";

/** What a connection needs of its host. */
export interface ToolService {
  readonly name: string;
  readonly log: Logger;
  /** Those that are offered now. */
  readonly schemas: readonly ToolSchema[];
  call(request: CallRequest): Promise<CallOutcome>;
  /** To be called before a request is worked on; what it gives back, when it has been answered. */
  owe(): () => void;
  /** Calls back whenever other tools are offered, until the function that it gives back is called. */
  onToolsChanged(tell: () => void): () => void;
}
