import type { SessionClient } from "../../client/index.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import { SWITCHBOARD } from "../../wire/team/reserved-senders.ts";
import type { AgentInbox } from "../delivery/inbox.ts";
import { remindOfTasks } from "../delivery/remind-of-open-tasks.ts";
import type { DirectMessages } from "../delivery/record-direct-messages.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { AgentRecord } from "./stored-agent-record.ts";
import type { Approver } from "./decide-approvals.ts";
import type { Action } from "./react-to-session-event.ts";
import type { TurnSettler } from "./settle-turn.ts";
import type { NewestTurnStarts } from "./newest-turn-start.ts";

export interface ActionRunnerOptions {
  readonly agent: AgentId;
  readonly session: Pick<SessionClient, "send">;
  readonly timeline: Pick<Timeline, "append">;
  readonly tasks: Pick<TaskBook, "touch" | "openOf">;
  readonly inbox: Pick<AgentInbox, "seen" | "dropped" | "callEnded" | "sessionReset">;
  readonly turns: Pick<NewestTurnStarts, "began">;
  readonly spoken: Pick<DirectMessages, "record" | "dropped">;
  readonly approver: Pick<Approver, "look" | "resolved" | "held">;
  readonly record: Pick<AgentRecord, "save">;
  readonly settler: Pick<TurnSettler, "settle" | "giveUpPoison">;
  /** Called when the agent may work, wait or rest now. */
  readonly onState: () => void;
  readonly onDelta: (event: SessionEventOf<"text_delta">) => void;
}

/** Carries out what follows from the events of an agent's session. */
export class ActionRunner {
  readonly #options: ActionRunnerOptions;

  constructor(options: ActionRunnerOptions) {
    this.#options = options;
  }

  async carryOut(action: Action): Promise<void> {
    const { agent, session, timeline, tasks, inbox, turns, spoken } = this.#options;
    const { approver, record, settler, onState, onDelta } = this.#options;
    switch (action.do) {
      case "publish":
        for (const draft of action.drafts) timeline.append(draft);
        return;
      case "show_delta":
        return onDelta(action.event);
      case "record_message":
        return spoken.record(agent, action.event);
      case "turn_began":
        return turns.began(action.event, action.logId);
      case "message_seen":
        return inbox.seen(action.id);
      case "message_dropped":
        await inbox.dropped(action.event.id, action.event.reason, isTakenBack(action.event));
        return spoken.dropped(action.event, isTakenBack(action.event));
      case "call_ended":
        return inbox.callEnded(action.call, action.carried);
      case "start_over":
        return inbox.sessionReset();
      case "keep_session":
        return record.save({ session_id: action.sessionId });
      case "decision_made":
        return approver.resolved(action.event, action.isUnpublished);
      case "deadline_moved":
        return approver.held(action.event, action.isUnpublished);
      case "remind_of_tasks":
        return remindOfTasks(session, tasks, agent);
      case "settle_turn":
        return settler.settle(action.turn);
      case "give_up_poison":
        return settler.giveUpPoison();
      case "count_as_work":
        return tasks.touch(agent);
      case "look_at_requests":
        return approver.look();
      case "show_state":
        return onState();
    }
  }
}

/** Only the team itself drops messages in its own name. */
const isTakenBack = ({ reason, by }: SessionEventOf<"message_dropped">): boolean =>
  reason === "dropped" && by === SWITCHBOARD;
