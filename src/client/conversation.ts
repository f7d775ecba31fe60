import type { FileChange } from "../wire/session/file-change.ts";
import type { PendingRequest } from "../wire/session/approval-events.ts";
import type { TodoItem } from "../wire/session/state-events.ts";
import type { SessionEventOf } from "../wire/session/events.ts";
import type { ContextUsage, Effort, McpServer } from "../wire/session/shared-schemas.ts";
import type { PermissionMode, SessionActivity } from "../wire/session/shared-schemas.ts";

// What a person sees of a session: a fold over its events, for any user interface.

interface OfAgent {
  readonly turnId?: string | undefined;
  /** The call that started the sub-agent that the item belongs to. */
  readonly parent?: string | undefined;
}

export interface MessageItem {
  readonly kind: "message";
  readonly message: SessionEventOf<"user_message">;
  /**
   * Queued until a turn takes it. A quiet message is seen without a turn; any other may be seen just before its turn.
   */
  readonly fate: "queued" | "taken" | "seen" | "dropped";
  readonly turnId?: string | undefined;
}

export interface TextItem extends OfAgent {
  readonly kind: "text" | "thinking";
  readonly block: number;
  readonly text: string;
}

/** One call, from the first letter of its input to its result, with a person's decision about it. */
export interface ToolItem extends OfAgent {
  readonly kind: "tool";
  readonly requestId: string;
  readonly tool: string;
  /** Absent while the model is still writing it. */
  readonly input?: SessionEventOf<"tool_use">["input"] | undefined;
  readonly inputJson: string;
  readonly request?: PendingRequest | undefined;
  readonly decision?: SessionEventOf<"approval_resolved"> | undefined;
  readonly progress?: SessionEventOf<"tool_progress"> | undefined;
  /** The newest live output of a running command; the result is authoritative. */
  readonly liveOutput: string;
  /** The command continues in the background after its result; its output is in `liveOutput`. */
  readonly runsOn?: boolean | undefined;
  readonly result?: SessionEventOf<"tool_result"> | undefined;
  /** Until the result what the call would change in files, then what it has changed; absent: nothing is known. */
  readonly changes?: readonly FileChange[] | undefined;
  readonly agent?: SessionEventOf<"subagent_started"> | undefined;
  readonly agentEnd?: SessionEventOf<"subagent_ended"> | undefined;
}

/** A note between the messages. */
export interface NoteItem {
  readonly kind: "note";
  readonly turnId?: string | undefined;
  readonly note: SessionEventOf<
    "notice" | "error" | "compacted" | "session_changed" | "earlier" | "closing" | "elicitation"
  >;
  /** The answer to a notice that asked whether to go on, or to what an MCP server asked. */
  readonly decision?: SessionEventOf<"approval_resolved"> | undefined;
}

export type ConversationItem = MessageItem | TextItem | ToolItem | NoteItem;

export interface Turn {
  readonly id: string;
  readonly started: SessionEventOf<"turn_started">;
  readonly done?: SessionEventOf<"done"> | undefined;
}

export interface Conversation {
  /** The newest event in it. */
  readonly seq: number;
  /** In display order. Items of one turn carry its id. */
  readonly items: readonly ConversationItem[];
  readonly turns: ReadonlyMap<string, Turn>;
  readonly openTurn: string | undefined;
  /** Requests that wait for a person, oldest first. */
  readonly pending: readonly PendingRequest[];
  readonly state: SessionActivity;
  readonly mode: PermissionMode | undefined;
  readonly model: string | undefined;
  readonly effort: Effort | null | undefined;
  readonly todo: readonly TodoItem[];
  readonly context: ContextUsage | undefined;
  /** The cost of all turns in it. */
  readonly costUsd: number;
  readonly mcpServers: readonly McpServer[];
  /** The model's API failed and will be called again. */
  readonly retry: SessionEventOf<"retry"> | undefined;
  /** The conversation is being compacted. */
  readonly compacting: boolean;
  /** Inside a snapshot, which is skipped if it contains nothing new. */
  readonly snapshot: "taking" | "skipping" | undefined;
}

export const emptyConversation: Conversation = {
  seq: 0,
  items: [],
  turns: new Map(),
  openTurn: undefined,
  pending: [],
  state: "idle",
  mode: undefined,
  model: undefined,
  effort: undefined,
  todo: [],
  context: undefined,
  costUsd: 0,
  mcpServers: [],
  retry: undefined,
  compacting: false,
  snapshot: undefined,
};

/** A conversation that is being changed. Its items are replaced, never changed in place. */
export interface Draft extends Omit<
  { -readonly [Key in keyof Conversation]: Conversation[Key] },
  "items" | "turns"
> {
  items: ConversationItem[];
  turns: Map<string, Turn>;
}
