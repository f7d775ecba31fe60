import type { JsonObject, JsonValue } from "../wire/json.ts";
import type {
  ApprovalOutcome,
  CliRequest,
  PendingNotice,
} from "../wire/session/approval-events.ts";
import type { SessionEventOf } from "../wire/session/events.ts";
import type {
  BackgroundTask,
  ContextUsage,
  Effort,
  Grant,
} from "../wire/session/shared-schemas.ts";
import type { McpServer } from "../wire/session/shared-schemas.ts";
import type {
  PermissionMode,
  SessionActivity as Activity,
} from "../wire/session/shared-schemas.ts";

/** A message that was accepted and that no turn has ended: its event, and whether the CLI has it. */
export interface AcceptedMessage {
  /** As logged: a large payload in it is a reference. */
  readonly event: SessionEventOf<"user_message">;
  /** It is in the CLI's transcript and must not be pushed again. */
  readonly seen: boolean;
}

export interface OpenTurn {
  readonly turnId: string;
  readonly messages: readonly string[];
  readonly cause: SessionEventOf<"turn_started">["cause"];
  /** It began with quiet messages only: the model is not called, and there is nothing to resume. */
  readonly quiet: boolean;
  /** As in `at`. */
  readonly startedAt: string;
  /** The text blocks since the last call; absent when there are none. */
  readonly said?: readonly number[];
  /** A block number that the turn has not used; absent: 0. */
  readonly nextBlock?: number;
}

/** A tool call that has no result. */
export interface CallWithoutResult {
  readonly tool: string;
  /** As logged: a large string in it is a reference. */
  readonly input: JsonObject;
  readonly parent: string | undefined;
  /** Absent: no person was asked, so far or at all. `none`: asked, not decided. */
  readonly decision: "none" | "allowed" | "denied" | undefined;
}

/** A call that we know of and that the CLI may not have written down. */
export interface CallToTell {
  readonly tool: string;
  readonly input: JsonObject;
  readonly decision: CallWithoutResult["decision"];
  /** As logged; absent when it has none. */
  readonly result?: JsonValue;
}

export interface Resolution {
  readonly outcome: ApprovalOutcome;
  readonly by: string | undefined;
}

/** What a usage limit has ended, and when it goes on. */
export interface Continuation {
  /** The event, as in the log. */
  readonly planned: SessionEventOf<"continuation_planned">;
  /** The message that goes on with it was accepted. */
  readonly sent: boolean;
}

/** The state of a session at one point of its log. Plain data; only `applyEvent` changes it. */
export interface SessionState {
  /** The CLI's id of the session; undefined until an event names it. */
  sessionId: string | undefined;
  /** The session of which this one is a fork, once the CLI has made it. */
  forkedFrom: string | undefined;
  /** The last row of that session that the fork has; undefined: it has all of them. */
  forkedAt: string | undefined;
  /** The conversation's title; undefined while it has none. */
  title: string | undefined;
  activity: Activity;
  mode: PermissionMode | undefined;
  model: string | undefined;
  /** The requested name, when the CLI maps it to different models over time. */
  modelAlias: string | undefined;
  /** Null: the model's default. Undefined: never set. */
  effort: Effort | null | undefined;
  /** Cost of all turns in the log. */
  costUsd: number;
  turn: OpenTurn | undefined;
  /** Messages that no turn has ended, in the order of acceptance. */
  readonly accepted: Map<string, AcceptedMessage>;
  /** Every message id that was ever accepted. */
  readonly acceptedIds: Set<string>;
  /** Messages that will not reach the model, and why. */
  readonly dropped: Map<string, SessionEventOf<"message_dropped">["reason"]>;
  /** Calls of the open turn without a result, and background calls that wait for a person. */
  readonly calls: Map<string, CallWithoutResult>;
  /** The newest calls of the open turn that have a result. */
  readonly finished: Map<string, CallToTell>;
  /** Calls of turns that a crash cut, until the turn that resumes them has ended. */
  readonly cut: Map<string, CallToTell>;
  /** Requests of the CLI that a person has not answered yet: about calls, and those of MCP servers. */
  readonly pending: Map<string, CliRequest>;
  /** Notices that wait for a person's decision. They belong to no turn, and outlive the CLI. */
  readonly notices: Map<string, PendingNotice>;
  /** The newest resolved requests, oldest first. */
  readonly resolved: Map<string, Resolution>;
  /** Permission updates of scope `session` that are in force. */
  readonly grants: JsonObject[];
  /** What people allowed beyond one call and have not taken back, by its id. */
  readonly given: Map<string, Grant>;
  /** The newest grants that were taken back, and by whom. */
  readonly revoked: Map<string, string | undefined>;
  todo: SessionEventOf<"todo"> | undefined;
  usage: SessionEventOf<"usage"> | undefined;
  context: ContextUsage | undefined;
  mcpServers: readonly McpServer[] | undefined;
  /** Tools that clients offer, by their namespace. */
  readonly offers: Map<string, SessionEventOf<"tools_offered">>;
  /** Sub-agents that have not ended, by the call that started them. */
  readonly subagents: Map<string, SessionEventOf<"subagent_started">>;
  /** What runs beside the turns and is lost with the CLI: commands and sub-agents. */
  backgroundTasks: readonly BackgroundTask[];
  /** The session waits for the reset of a usage limit, to go on with these messages. */
  continuation: Continuation | undefined;
  /** Inside a snapshot, which repeats known events and so changes nothing. */
  inSnapshot: boolean;
}

export const emptyState = (): SessionState => ({
  sessionId: undefined,
  forkedFrom: undefined,
  forkedAt: undefined,
  title: undefined,
  activity: "idle",
  mode: undefined,
  model: undefined,
  modelAlias: undefined,
  effort: undefined,
  costUsd: 0,
  turn: undefined,
  accepted: new Map(),
  acceptedIds: new Set(),
  dropped: new Map(),
  calls: new Map(),
  finished: new Map(),
  cut: new Map(),
  pending: new Map(),
  notices: new Map(),
  resolved: new Map(),
  grants: [],
  given: new Map(),
  revoked: new Map(),
  todo: undefined,
  usage: undefined,
  context: undefined,
  mcpServers: undefined,
  offers: new Map(),
  subagents: new Map(),
  backgroundTasks: [],
  continuation: undefined,
  inSnapshot: false,
});
