import type { Bus } from "../../bus/bus.ts";
import type { SessionView } from "../../client/index.ts";
import type { Sender } from "../delivery/admission.ts";
import type { AgentSpec } from "../file/team.ts";
import { idOfCall } from "../messages/derive-message-id.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { AgentRecord } from "./stored-agent-record.ts";
import type { ShownCalls } from "./wait-for-call-event.ts";
import { callNotShown, isCallShown } from "./wait-for-call-event.ts";
import type { TurnContext } from "./thread-and-task-of-turn.ts";
import { contextOf } from "./thread-and-task-of-turn.ts";

export interface SenderOfCallOptions {
  readonly spec: AgentSpec;
  readonly record: Pick<AgentRecord, "note">;
  readonly view: SessionView;
  readonly untilCaughtUp: ShownCalls["untilCaughtUp"];
  readonly bus: Pick<Bus, "get">;
  readonly tasks: Pick<TaskBook, "find">;
  /** The agent's conversation has this message. */
  readonly hasGot: (messageId: string) => boolean;
}

/** Finds out who sends when a tool of an agent is called, and what the call's turn is about. */
export class SenderOfCall {
  readonly #options: SenderOfCallOptions;

  constructor(options: SenderOfCallOptions) {
    this.#options = options;
  }

  /** @throws `timeout` when the session's events do not show the call; the signal's reason. */
  async senderOf(callId: string | undefined, signal: AbortSignal): Promise<Sender> {
    const { spec, hasGot } = this.#options;
    const calledAt = new Date();
    if (callId !== undefined) await this.#untilShown(callId, signal);
    const context = await this.context();
    const { thread, taskId } = context ?? { thread: undefined, taskId: undefined };
    return { spec, logId: this.#logId, thread, taskId, calledAt, hasGot };
  }

  /** What the running turn is about. */
  context(): Promise<TurnContext | undefined> {
    const { spec, view, bus, tasks } = this.#options;
    return contextOf(spec.id, view.state.turn?.messages ?? [], bus, tasks);
  }

  get #logId(): string {
    const { record, spec } = this.#options;
    return record.note.log_id ?? spec.id;
  }

  /** Waits until the session's events show this tool call, since its turn determines thread and task. */
  async #untilShown(callId: string, signal: AbortSignal): Promise<void> {
    const { spec, view, untilCaughtUp, bus } = this.#options;
    if (await isCallShown(callId, { view, untilCaughtUp }, signal)) return;
    // The call has sent its message before.
    if (await bus.get(idOfCall(this.#logId, callId))) return;
    throw callNotShown(spec.id, callId);
  }
}
