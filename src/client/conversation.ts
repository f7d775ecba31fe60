import type { PendingRequest } from "../wire/session-events-approval.ts";
import type { TodoItem } from "../wire/session-events-state.ts";
import type { SessionEventOf } from "../wire/session-events.ts";
import type { ContextUsage, Effort, McpServer } from "../wire/session-terms.ts";
import type { PermissionMode, SessionState } from "../wire/session-terms.ts";

// What a person sees of a session: the fold over its events that every screen needs.

interface OfAgent {
  readonly turnId?: string | undefined;
  /** The call that started the sub-agent whose item it is. */
  readonly parent?: string | undefined;
}

export interface MessageItem {
  readonly kind: "message";
  readonly message: SessionEventOf<"user_message">;
  /** Queued until a turn takes it up. A quiet one is seen without a turn, any other perhaps just before its turn. */
  readonly fate: "queued" | "taken" | "seen" | "dropped";
  readonly turnId?: string | undefined;
}

export interface TextItem extends OfAgent {
  readonly kind: "text" | "thinking";
  readonly block: number;
  readonly text: string;
}

/** One call, from the first letter of its input to its result, with what a person decided about it. */
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
  /** The newest live output of a running command; the result is what counts. */
  readonly liveOutput: string;
  /** The command has gone on in the background after its result; what it prints stands in `liveOutput`. */
  readonly runsOn?: boolean | undefined;
  readonly result?: SessionEventOf<"tool_result"> | undefined;
  readonly agent?: SessionEventOf<"subagent_started"> | undefined;
  readonly agentEnd?: SessionEventOf<"subagent_ended"> | undefined;
}

/** Something to tell between the lines. */
export interface NoteItem {
  readonly kind: "note";
  readonly turnId?: string | undefined;
  readonly note: SessionEventOf<"notice" | "error" | "compacted" | "session_changed" | "closing">;
  /** For a notice that asked for leave to go on. */
  readonly decision?: SessionEventOf<"approval_resolved"> | undefined;
}

export type ConversationItem = MessageItem | TextItem | ToolItem | NoteItem;

export interface Turn {
  readonly id: string;
  readonly started: SessionEventOf<"turn_started">;
  readonly done?: SessionEventOf<"done"> | undefined;
}

export interface Conversation {
  /** The last event that it holds. */
  readonly seq: number;
  /** In the order in which they are to be shown. Those of one turn carry its id. */
  readonly items: readonly ConversationItem[];
  readonly turns: ReadonlyMap<string, Turn>;
  readonly openTurn: string | undefined;
  /** Requests that wait for a person, oldest first. */
  readonly pending: readonly PendingRequest[];
  readonly state: SessionState;
  readonly mode: PermissionMode | undefined;
  readonly model: string | undefined;
  readonly effort: Effort | null | undefined;
  readonly todo: readonly TodoItem[];
  readonly context: ContextUsage | undefined;
  /** Of all turns that it holds. */
  readonly costUsd: number;
  readonly mcpServers: readonly McpServer[];
  /** The model's API failed and will be asked again. */
  readonly retry: SessionEventOf<"retry"> | undefined;
  /** A summary of the conversation is being made. */
  readonly compacting: boolean;
  /** In the middle of a snapshot, which is passed over if it tells nothing new. */
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
