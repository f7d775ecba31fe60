import type { FileChange } from "../wire/session/file-change.ts";
import type { PendingRequest } from "../wire/session/approval-events.ts";
import type { TodoItem } from "../wire/session/state-events.ts";
import type { SessionEventOf } from "../wire/session/events.ts";
import type { ToolOffer } from "../wire/session/offered-tools.ts";
import type {
  BackgroundTask,
  ContextUsage,
  Effort,
  Grant,
} from "../wire/session/shared-schemas.ts";
import type { McpServer, PermissionMode, SessionActivity } from "../wire/session/shared-schemas.ts";
import type { TokenUsage } from "../wire/session/shared-schemas.ts";
import type { StopReason } from "../wire/session/turn-events.ts";

// What a person sees of a session: a fold over its events, for any user interface.

interface Keyed {
  /** Names the item for as long as it is there, whatever becomes of it. No two items have the same. */
  readonly key: string;
}

interface OfAgent extends Keyed {
  readonly turnId?: string | undefined;
  /** The call that started the sub-agent that the item belongs to. */
  readonly parent?: string | undefined;
}

export interface MessageItem extends Keyed {
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

/** A long output in parts: what stands between the two is left out. */
export interface CutOutput {
  readonly head: string;
  readonly tail: string;
  readonly omittedChars: number;
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
  /** With the beginning of its output when `cut` is there; `history` before the next seq has the whole event. */
  readonly result?: SessionEventOf<"tool_result"> | undefined;
  readonly cut?: CutOutput | undefined;
  /** Until the result what the call would change in files, then what it has changed; absent: nothing is known. */
  readonly changes?: readonly FileChange[] | undefined;
  readonly agent?: SessionEventOf<"subagent_started"> | undefined;
  readonly agentEnd?: SessionEventOf<"subagent_ended"> | undefined;
}

/** A note between the messages. */
export interface NoteItem extends Keyed {
  readonly kind: "note";
  readonly turnId?: string | undefined;
  readonly note: SessionEventOf<
    "notice" | "error" | "compacted" | "session_changed" | "earlier" | "closing" | "elicitation"
  >;
  /** The answer to a notice that asked whether to go on, or to what an MCP server asked. */
  readonly decision?: SessionEventOf<"approval_resolved"> | undefined;
}

/** Stands for the items of a turn that `trim` has taken out. `history` from `lastSeq` back to `firstSeq` has them. */
export interface StubItem extends Keyed {
  readonly kind: "stub";
  readonly turnId: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The beginning of what was asked, or of what was said. */
  readonly firstWords: string;
  readonly costUsd: number;
  readonly stopReason: StopReason;
  /** How many items it stands for. */
  readonly items: number;
  /** Its calls without a result. */
  readonly openCalls?: readonly string[];
}

export type ConversationItem = MessageItem | TextItem | ToolItem | NoteItem | StubItem;

export interface Turn {
  readonly id: string;
  readonly started: SessionEventOf<"turn_started">;
  /** The tokens that it has used so far, those of sub-agents not among them; once it is done, all of them. */
  readonly usage?: TokenUsage | undefined;
  readonly done?: SessionEventOf<"done"> | undefined;
}

export interface Conversation {
  /** The newest event in it. */
  readonly seq: number;
  /** Older turns are not in it: a snapshot left them out, or it begins in the middle. `history` has them. */
  readonly omitted: boolean;
  /** In display order. Items of one turn carry its id. */
  readonly items: readonly ConversationItem[];
  /** Without those that a stub stands for. */
  readonly turns: ReadonlyMap<string, Turn>;
  readonly openTurn: string | undefined;
  /** Requests that wait for a person, oldest first. */
  readonly pending: readonly PendingRequest[];
  readonly state: SessionActivity;
  readonly title: string | undefined;
  readonly mode: PermissionMode | undefined;
  readonly model: string | undefined;
  readonly effort: Effort | null | undefined;
  readonly todo: readonly TodoItem[];
  readonly context: ContextUsage | undefined;
  /** The cost of all turns in it; of one that `conversationAt` began, of all turns in the log. */
  readonly costUsd: number;
  /** Turns that ended up to this event are in `costUsd`. */
  readonly costSeq: number;
  readonly mcpServers: readonly McpServer[];
  /** What runs in the background, also while the session is idle. */
  readonly backgroundTasks: readonly BackgroundTask[];
  /** What people allowed beyond one call and have not taken back, oldest first. */
  readonly grants: readonly Grant[];
  /** Tools that clients offer. */
  readonly offeredTools: readonly ToolOffer[];
  /** The model's API failed and will be called again. */
  readonly retry: SessionEventOf<"retry"> | undefined;
  /** The conversation is being compacted. */
  readonly compacting: boolean;
  /** Inside a snapshot, which is skipped if it contains nothing new. */
  readonly snapshot: "taking" | "skipping" | undefined;
}

export const emptyConversation: Conversation = {
  seq: 0,
  omitted: false,
  items: [],
  turns: new Map(),
  openTurn: undefined,
  pending: [],
  state: "idle",
  title: undefined,
  mode: undefined,
  model: undefined,
  effort: undefined,
  todo: [],
  context: undefined,
  costUsd: 0,
  costSeq: 0,
  mcpServers: [],
  backgroundTasks: [],
  grants: [],
  offeredTools: [],
  retry: undefined,
  compacting: false,
  snapshot: undefined,
};
