import type { JsonObject, JsonValue } from "../../wire/json.ts";
import type {
  ApprovalOutcome,
  CallRequest,
  PendingNotice,
} from "../../wire/session-events-approval.ts";
import type { SessionEventOf } from "../../wire/session-events.ts";
import type { BackgroundTask, ContextUsage, Effort, McpServer } from "../../wire/session-terms.ts";
import type { PermissionMode, SessionState as Activity } from "../../wire/session-terms.ts";

/** A message that was accepted and that no turn has ended: its event, and whether the CLI has it. */
export interface AcceptedMessage {
  /** As logged: a large payload in it stands as a reference. */
  readonly event: SessionEventOf<"user_message">;
  /** It stands in the CLI's transcript and is not to be pushed again. */
  readonly seen: boolean;
}

export interface OpenTurn {
  readonly turnId: string;
  readonly messages: readonly string[];
  readonly cause: SessionEventOf<"turn_started">["cause"];
  /** It began with quiet messages only: the model is not asked, and there is nothing to resume. */
  readonly quiet: boolean;
  /** As in `at`. */
  readonly startedAt: string;
  /** The blocks of text that were told since the last call; absent when there are none. */
  readonly said?: readonly number[];
  /** A number that no block of the turn has; absent: 0. */
  readonly nextBlock?: number;
}

/** A tool call that has no result. */
export interface CallWithoutResult {
  readonly tool: string;
  /** As logged: a large string in it stands as a reference. */
  readonly input: JsonObject;
  readonly parent: string | undefined;
  /** Absent: nobody was asked about it, so far or at all. `none`: asked, not decided. */
  readonly decision: "none" | "allowed" | "denied" | undefined;
}

/** A call that the CLI may not have written down, though we know of it. */
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

/** What a session is at one point of its log. Data alone; only `applyEvent` changes it. */
export interface SessionState {
  /** The CLI's id of the session; undefined until an event has named it. */
  sessionId: string | undefined;
  /** The session of which this one is a copy, once the CLI has made it. */
  forkedFrom: string | undefined;
  activity: Activity;
  mode: PermissionMode | undefined;
  model: string | undefined;
  /** What was asked for, when the CLI makes now this model and now that one of it. */
  modelAlias: string | undefined;
  /** Null: the model's own choice. Undefined: never set. */
  effort: Effort | null | undefined;
  /** Cost of all turns in the log. */
  costUsd: number;
  turn: OpenTurn | undefined;
  /** Messages that no turn has ended, in the order in which they were accepted. */
  readonly accepted: Map<string, AcceptedMessage>;
  /** Every message id that was ever accepted, for ever. */
  readonly acceptedIds: Set<string>;
  /** Messages that will not reach the model, and why. */
  readonly dropped: Map<string, SessionEventOf<"message_dropped">["reason"]>;
  /** Calls of the open turn without a result, and those of the background that wait for a person. */
  readonly calls: Map<string, CallWithoutResult>;
  /** The newest calls of the open turn that have a result. */
  readonly finished: Map<string, CallToTell>;
  /** Calls of turns that a crash has cut, until the turn that takes them up has ended. */
  readonly cut: Map<string, CallToTell>;
  /** Requests about calls that a person has yet to answer. */
  readonly pending: Map<string, CallRequest>;
  /** Notices that wait for leave to go on. They belong to no turn, and outlive the CLI. */
  readonly notices: Map<string, PendingNotice>;
  /** The newest resolved requests, oldest first. */
  readonly resolved: Map<string, Resolution>;
  /** Permission updates of scope session that are in force. */
  readonly grants: JsonObject[];
  todo: SessionEventOf<"todo"> | undefined;
  usage: SessionEventOf<"usage"> | undefined;
  context: ContextUsage | undefined;
  mcpServers: readonly McpServer[] | undefined;
  /** Sub-agents that have not ended, by the call that started them. */
  readonly subagents: Map<string, SessionEventOf<"subagent_started">>;
  /** What runs beside the turns, and is lost with the CLI: commands and sub-agents. */
  backgroundTasks: readonly BackgroundTask[];
  /** Inside a snapshot, which repeats what is known and so changes nothing. */
  inSnapshot: boolean;
}

export const emptyState = (): SessionState => ({
  sessionId: undefined,
  forkedFrom: undefined,
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
  todo: undefined,
  usage: undefined,
  context: undefined,
  mcpServers: undefined,
  subagents: new Map(),
  backgroundTasks: [],
  inSnapshot: false,
});
