import { randomUUID } from "node:crypto";
import type { Bus } from "../../bus/bus.ts";
import type { Write } from "../../bus/records.ts";
import type { Logger } from "../../log/logger.ts";
import { toWire } from "../../wire/error-wire.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentId, CCMessage, SendMessageInput } from "../../wire/team/messages.ts";
import type { AgentSpec, Team } from "../file/team.ts";
import { composeMessage } from "../messages/compose-message.ts";
import { isAnswer, isControl, startsTurn, wantsAnswer } from "../messages/message-types.ts";
import { idOfCall } from "../messages/derive-message-id.ts";
import type { Thread } from "../messages/thread-of-message.ts";
import type { CommunicationRecord } from "../record/communication-record.ts";
import type { Spending } from "../record/spending.ts";
import { checkBudgets } from "../rules/check-payers.ts";
import { checkDependsOn } from "../rules/check-depends-on.ts";
import { checkLoop } from "../rules/check-loop.ts";
import { checkRecipient, checkReply } from "../rules/may-message.ts";
import type { Refusal } from "../rules/refusal.ts";
import { checkSize } from "../rules/check-size.ts";
import { checkWait } from "../rules/check-wait-cycle.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Admitted } from "./outbox.ts";
import type { SendCounts } from "./send-counts.ts";
import type { Waits } from "./open-waits.ts";
import { pendingQuestions, waitOf } from "./open-waits.ts";

/** Longer than any agent's name, and shorter than what a model may write. */
const MAX_NAME = 100;

/** The agent that sends, and what its turn is about. */
export interface Sender {
  readonly spec: AgentSpec;
  /** The session's log. Ids of messages are derived from it. */
  readonly logId: string;
  /** What the agent's turn is about; absent when it speaks of its own accord. */
  readonly thread: Thread | undefined;
  readonly taskId: string | undefined;
  /** When its call came in. That is the message's time, however long the team had to wait first. */
  readonly calledAt: Date;
  /** Its conversation has this message. */
  readonly hasGot: (id: string) => boolean | Promise<boolean>;
}

export interface AdmissionOptions {
  readonly bus: Bus;
  readonly team: Team;
  readonly tasks: TaskBook;
  readonly spending: Spending;
  readonly timeline: Timeline;
  readonly communication: CommunicationRecord;
  readonly waits: Waits;
  readonly counts: SendCounts;
  readonly log: Logger;
  /** Why an agent cannot get messages now; undefined when it can. */
  readonly refusalFor: (agent: AgentId) => Refusal;
}

/** Asks the rules, in order, whether a message may be sent. */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * The message of a call, after every rule has been asked.
   *
   * @throws the error of the rule that refused it. By then the refusal is counted and shown to people.
   */
  async admit(
    sender: Sender,
    input: SendMessageInput,
    toolUseId: string | undefined,
  ): Promise<Admitted> {
    const { bus, tasks } = this.#options;
    const id = toolUseId === undefined ? randomUUID() : idOfCall(sender.logId, toolUseId);
    const known = await bus.get(id);
    if (known) return { message: known.message, duplicate: true, task: undefined };

    const { reply_to } = input;
    const answered = reply_to === undefined ? undefined : (await bus.get(reply_to))?.message;
    const message = composeMessage({
      id,
      from: sender.spec.id,
      input: { ...input, to: input.to.slice(0, MAX_NAME) },
      answered,
      thread: sender.thread,
      now: sender.calledAt,
    });
    const dependsOn = input.metadata?.depends_on ?? [];
    const refusal =
      (await checkDependsOn(tasks, dependsOn, sender.taskId)) ??
      (await this.#judge(sender, input, message, answered));
    if (refusal) throw this.#refuse(message, refusal);
    const task = wantsAnswer(message) ? tasks.rowOf(message, sender.taskId, dependsOn) : undefined;
    return { message, duplicate: false, task, isCounted: true };
  }

  /**
   * What a person says to the lead. Only its size, the lead's state and the budgets count.
   *
   * @throws the error of the rule that refused it.
   */
  async admitUser(message: CCMessage): Promise<Admitted> {
    const { team, tasks, refusalFor } = this.#options;
    const { to_agent: to } = message;
    const refusal =
      checkSize(message, team.limits) ??
      refusalFor(to) ??
      (await checkBudgets(this.#options, { agents: [to], task: undefined }));
    if (refusal) throw this.#refuse(message, refusal);
    return { message, duplicate: false, task: tasks.rowOf(message, undefined, []) };
  }

  /**
   * A dead letter that may be sent again; undefined when there is none of that id.
   *
   * @throws `agent_not_found`, `agent_unavailable`: its recipient could not get it, so the letter is kept.
   */
  async admitDead(deadId: string): Promise<CCMessage | undefined> {
    const { bus, refusalFor } = this.#options;
    const dead = (await bus.deadLetters.get(deadId))?.message;
    const refusal = dead && (this.#checkInTeam(dead) ?? refusalFor(dead.to_agent));
    if (refusal) throw refusal;
    return dead;
  }

  #checkInTeam({ id, to_agent }: CCMessage): Refusal {
    if (this.#options.team.agents.has(to_agent)) return undefined;
    return errorOf("agent_not_found", `${to_agent} is not an agent of this team now.`, {
      data: { agent_id: to_agent, message_id: id },
      hint: `The dead letter is kept. Name ${to_agent} in the team file and start the team again, then: switchboard dlq resend ${id}`,
    });
  }

  async #judge(
    sender: Sender,
    input: SendMessageInput,
    message: CCMessage,
    answered: CCMessage | undefined,
  ): Promise<Refusal> {
    const { team, counts, refusalFor } = this.#options;
    const { from_agent: from, to_agent: to } = message;
    const refusal =
      checkReply(from, to, input.reply_to, answered) ??
      checkRecipient(team, sender.spec, to, answered) ??
      checkSize(message, team.limits) ??
      checkKind(message);
    if (refusal) return refusal;
    // The answer that a request waits for always gets through: without it the work would be lost.
    if (counts.isAwaited(message)) {
      counts.begin(message);
      return undefined;
    }
    const sentUnderRoot = await counts.roots.counterOf(message.root_id);
    const checkPace = (): Refusal =>
      counts.rate.check(from, to) ??
      checkLoop(sender.thread ?? threadOf(message), to, sentUnderRoot(), team.limits);
    const late =
      refusalFor(to) ??
      checkPace() ??
      (await this.#checkBudgets(sender, message)) ??
      (input.wait ? await this.#checkWait(sender, message) : undefined) ??
      // Once more at the end, with no await between this and the count: many calls made together may all have passed
      // the first check.
      checkPace();
    if (!late) counts.begin(message);
    return late;
  }

  /** A question in the sender's own inbox ends the wait at once, so it cannot close a circle. */
  async #checkWait({ hasGot }: Sender, message: CCMessage): Promise<Refusal> {
    const { bus, waits } = this.#options;
    const wait = waitOf(message);
    const questions = await pendingQuestions(bus, wait, hasGot);
    return questions.length > 0 ? undefined : checkWait(waits, wait);
  }

  /**
   * The recipient pays for the turn that the message starts. The sender of a request pays too, for the turn that
   * the answer will start: it would ask for ever otherwise.
   */
  async #checkBudgets({ spec, taskId }: Sender, message: CCMessage): Promise<Refusal> {
    const endsWait = isAnswer(message) && this.#options.waits.endedBy(message) !== undefined;
    if (endsWait || !startsTurn(message)) return undefined;
    const agents = [message.to_agent, ...(wantsAnswer(message) ? [spec.id] : [])];
    return checkBudgets(this.#options, { agents, task: taskId });
  }

  /** Counts a refusal and shows it to people. Returns it for the caller to throw. */
  #refuse(message: CCMessage, refusal: ClaudeCodeError): ClaudeCodeError {
    const { bus, communication, log, timeline } = this.#options;
    const { from_agent, to_agent } = message;
    communication.failed(message, refusal);
    const count: Write = {
      kind: "add",
      collection: "counters",
      key: "refusals",
      amounts: { count: 1, [refusal.code]: 1 },
    };
    bus.records
      .write([count])
      .catch((error: unknown) => log.error({ err: error }, "A refusal was not counted."));
    timeline.append({ type: "refused", from_agent, to_agent, error: toWire(refusal) });
    return refusal;
  }
}

/** The thread of a message that an agent sends of its own accord: a new one. */
const threadOf = ({ root_id, hop, path }: CCMessage): Thread => ({ root_id, hop, path });

/** Agents are started, stopped and watched by the team's process, never by one another. */
function checkKind(message: CCMessage): Refusal {
  if (!isControl(message) || message.type === "ping") return undefined;
  return errorOf("not_allowed", `Agents cannot send messages of the type ${message.type}.`, {
    data: { type: message.type },
    hint: "Leave type out. It is task_request by default, and task_response with reply_to.",
  });
}
