import type { SessionView } from "../../client/index.ts";
import type { SessionEvent, SessionEventOf } from "../../wire/session/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { TeamEventDraft } from "../timeline/timeline.ts";
import { toTimelineEvent } from "./session-event-to-timeline.ts";

/** What an ended turn leaves to be settled. */
export interface TurnToSettle {
  readonly done: SessionEventOf<"done">;
  readonly logId: string;
  /** The messages that it was about; a turn that was cut short ends none of them. */
  readonly about: readonly string[];
  /** The messages that it ended without giving them to the model. */
  readonly unread: readonly string[];
  readonly text: string;
  /** What went wrong in the turn, in words. */
  readonly error: string | undefined;
  /** Whether the session has nothing left to settle after this turn. */
  readonly isLast: boolean;
}

/** What the team does because of an event in an agent's session. Each can be done again after a crash. */
export type Action =
  | { readonly do: "publish"; readonly drafts: readonly TeamEventDraft[] }
  | { readonly do: "show_delta"; readonly event: SessionEventOf<"text_delta"> }
  | { readonly do: "record_message"; readonly event: SessionEventOf<"user_message"> }
  | {
      readonly do: "turn_began";
      readonly event: SessionEventOf<"turn_started">;
      readonly logId: string;
    }
  | { readonly do: "message_seen"; readonly id: string }
  | { readonly do: "message_dropped"; readonly event: SessionEventOf<"message_dropped"> }
  | { readonly do: "call_ended"; readonly call: string; readonly carried: string | undefined }
  /** The session is about to send its log again from the beginning. */
  | { readonly do: "start_over" }
  | { readonly do: "keep_session"; readonly sessionId: string }
  | {
      readonly do: "decision_made";
      readonly event: SessionEventOf<"approval_resolved">;
      readonly isUnpublished: boolean;
    }
  | {
      readonly do: "deadline_moved";
      readonly event: SessionEventOf<"request_held">;
      readonly isUnpublished: boolean;
    }
  | { readonly do: "remind_of_tasks" }
  | { readonly do: "settle_turn"; readonly turn: TurnToSettle }
  | { readonly do: "give_up_poison" }
  | { readonly do: "count_as_work" }
  | { readonly do: "look_at_requests" }
  | { readonly do: "show_state" };

/** What is known besides the event. */
export interface Circumstances {
  readonly agent: AgentId;
  /** After the event. */
  readonly view: SessionView;
  /** The text of the model that is complete with the event. */
  readonly whole: readonly { readonly kind: "said" | "thought"; readonly text: string }[];
  /** The last error of the running turn, in words. */
  readonly lastError: string | undefined;
  /** The message that the result of a call has brought. */
  readonly carried: string | undefined;
  /** The timeline does not have the event: no earlier process of the team has published it. */
  readonly isUnpublished: boolean;
  /** The events before this connection have been read. */
  readonly isCaughtUp: boolean;
}

/** What follows from an event, in this order. */
export function react(
  event: SessionEvent,
  circumstances: Circumstances,
  { own, housekeeping, stateChanges }: Reactions = reactions,
): Action[] {
  const { view, isCaughtUp } = circumstances;
  // This client needs no snapshot: it only repeats what is known.
  if (view.state.inSnapshot || event.type.startsWith("snapshot_")) return [];
  if (event.type === "text_delta") {
    // Those that are read again after a restart were shown by an earlier process.
    return event.parent === undefined && isCaughtUp ? [{ do: "show_delta", event }] : [];
  }
  if (event.type.endsWith("_delta")) return [];
  const drafts = circumstances.isUnpublished ? draftsOf(event, circumstances) : [];
  return [
    ...(drafts.length > 0 ? [{ do: "publish", drafts } as const] : []),
    ...ownActions(event, circumstances, own),
    ...(housekeeping.has(event.type) ? [] : [{ do: "count_as_work" } as const]),
    ...(isCaughtUp ? [{ do: "look_at_requests" } as const] : []),
    ...(stateChanges.has(event.type) ? [{ do: "show_state" } as const] : []),
  ];
}

function draftsOf(event: SessionEvent, { agent, whole }: Circumstances): TeamEventDraft[] {
  const said = whole.map(({ kind, text }) => ({ type: kind, agent, session_seq: event.seq, text }));
  const draft = toTimelineEvent(agent, event);
  return draft ? [...said, draft] : said;
}

function ownActions(
  event: SessionEvent,
  circumstances: Circumstances,
  own: Reactions["own"],
): Action[] {
  // Each row takes the events of its own type; TypeScript cannot express that for the whole table.
  const row = own[event.type] as
    | ((event: SessionEvent, circumstances: Circumstances) => Action[])
    | undefined;
  return row?.(event, circumstances) ?? [];
}

const turnOf = (
  done: SessionEventOf<"done">,
  { view, lastError: error }: Circumstances,
): TurnToSettle => ({
  done,
  logId: view.logId,
  about: view.endedTurn.messages,
  unread: view.endedTurn.unread,
  text: view.text.final,
  error,
  isLast: !view.isBusy,
});

/** What follows when the events before this connection have been read. */
export const onCaughtUp: readonly Action[] = [
  { do: "look_at_requests" },
  { do: "show_state" },
  { do: "give_up_poison" },
];

/** What the team does because of an event, by the event's type. */
export interface Reactions {
  /** What follows only from events of this type. */
  readonly own: {
    readonly [Type in SessionEvent["type"]]?: (
      event: SessionEventOf<Type>,
      circumstances: Circumstances,
    ) => Action[];
  };
  /** Events that do not show that an agent works. */
  readonly housekeeping: ReadonlySet<SessionEvent["type"]>;
  /** Events after which an agent may work, wait or rest. */
  readonly stateChanges: ReadonlySet<SessionEvent["type"]>;
}

export const reactions: Reactions = {
  own: {
    user_message: (event) => [{ do: "record_message", event }],
    turn_started: (event, { view }) => [{ do: "turn_began", event, logId: view.logId }],
    message_seen: ({ id }) => [{ do: "message_seen", id }],
    message_dropped: (event) => [{ do: "message_dropped", event }],
    tool_result: ({ request_id: call }, { carried }) => [{ do: "call_ended", call, carried }],
    session_changed: ({ session_id: sessionId }) => [{ do: "keep_session", sessionId }],
    approval_resolved: (event, { isUnpublished }) => [
      { do: "decision_made", event, isUnpublished },
    ],
    request_held: (event, { isUnpublished }) => [{ do: "deadline_moved", event, isUnpublished }],
    compacted: (_, { isCaughtUp }) => (isCaughtUp ? [{ do: "remind_of_tasks" }] : []),
    done: (event, circumstances) => [
      { do: "settle_turn", turn: turnOf(event, circumstances) },
      ...(circumstances.isCaughtUp ? [{ do: "give_up_poison" } as const] : []),
    ],
  },
  housekeeping: new Set([
    "user_message",
    "message_seen",
    "notice",
    "mcp_status",
    "background_tasks",
    "status",
    "session_changed",
    "closing",
    "request_held",
  ]),
  stateChanges: new Set([
    "user_message",
    "message_dropped",
    "turn_started",
    "done",
    "approval_request",
    "question",
    "plan",
    "elicitation",
    "approval_resolved",
    "status",
  ]),
};
