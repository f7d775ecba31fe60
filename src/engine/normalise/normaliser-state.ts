import { StreamedBlocks } from "./streamed-blocks.ts";

/** What later messages of one CLI process depend on. */
export class ConversationState {
  /** The session that the CLI was started for, and later its current one. */
  sessionId: string | undefined;
  /** `init` comes with every turn; the first one was reported in full. */
  ready = false;
  model: string | undefined;
  mode: string | undefined;
  mcpServers = "[]";
  /** The API failure that the CLI wrote into the conversation in this turn. */
  failure: { apiError: string; text: string } | undefined;
  /** Messages that were pushed and that the CLI has not finished. */
  readonly queued = new Set<string>();
  /** Those that it has taken and that no turn has begun with yet. */
  readonly taken: string[] = [];
  /** The CLI is compacting, which it reports repeatedly. */
  compacting = false;
  readonly streamed = new StreamedBlocks();

  constructor(sessionId: string | undefined) {
    this.sessionId = sessionId;
  }
}
