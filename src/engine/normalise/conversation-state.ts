import { StreamedBlocks } from "./streamed-blocks.ts";

/** What the messages of one CLI process have told so far, as far as later ones depend on it. */
export class ConversationState {
  /** The session that the CLI was started for, and later the one that it is in. */
  sessionId: string | undefined;
  /** `init` comes with every turn; the first one was told as a whole. */
  ready = false;
  model: string | undefined;
  mode: string | undefined;
  mcpServers = "[]";
  /** The API's failure that the CLI wrote into the conversation in this turn. */
  failure: { apiError: string; text: string } | undefined;
  /** Messages that were pushed and that the CLI has not done with. */
  readonly queued = new Set<string>();
  /** Those of them that it has taken up and that no turn has begun with yet. */
  readonly taken: string[] = [];
  /** A summary is being made. The CLI says so again and again. */
  compacting = false;
  readonly streamed = new StreamedBlocks();

  constructor(sessionId: string | undefined) {
    this.sessionId = sessionId;
  }
}
