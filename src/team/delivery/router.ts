import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { Write } from "../../bus/records.ts";
import { toWire } from "../../wire/error-wire.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Task } from "../../wire/team-task.ts";
import type { AgentId, CCMessage, SendMessageInput } from "../../wire/team.ts";
import type { AgentSpec } from "../file/team.ts";
import { compose } from "../messages/compose.ts";
import { isAnswer, isControl, wantsAnswer } from "../messages/kind.ts";
import { idOfCall } from "../messages/message-id.ts";
import type { Thread } from "../messages/thread.ts";
import type { Office } from "../office.ts";
import { purses } from "../record/spending.ts";
import { checkBudget } from "../rules/budget.ts";
import { checkLoop } from "../rules/loop.ts";
import { checkRecipient, checkReply } from "../rules/may-message.ts";
import type { Refusal } from "../rules/refusal.ts";
import { checkSize } from "../rules/size.ts";
import { checkWait } from "../rules/waits.ts";

const ROOTS = "roots";

/** Who sends, and where it stands. */
export interface Sender {
  readonly spec: AgentSpec;
  /** Of the session's log; ids of messages are derived from it. */
  readonly logId: string;
  /** What the agent's turn is about; absent when it speaks of its own accord. */
  readonly thread: Thread | undefined;
  readonly taskId: string | undefined;
}

export interface Prepared {
  readonly message: CCMessage;
  /** It was sent before, by the same call. */
  readonly duplicate: boolean;
  readonly task: Task | undefined;
}

/** Why an agent cannot get anything now; undefined when it can. */
export type Availability = (agent: AgentId) => Refusal;

/** Takes messages from agents: judges them by the rules, and makes them durable. */
export class Router {
  readonly #office: Office;
  readonly #availability: Availability;

  constructor(office: Office, availability: Availability) {
    this.#office = office;
    this.#availability = availability;
  }

  /**
   * The message of a call, after every rule has been asked.
   *
   * @throws what the rule says that refused it. That has been counted and told to people by then.
   */
  async prepare(
    sender: Sender,
    input: SendMessageInput,
    toolUseId: string | undefined,
  ): Promise<Prepared> {
    const { bus, tasks } = this.#office;
    const from = sender.spec.id;
    const id = toolUseId === undefined ? randomUUID() : idOfCall(sender.logId, toolUseId);
    const known = await bus.get(id);
    if (known) return { message: known.message, duplicate: true, task: undefined };

    const answered = await this.#find(input.reply_to);
    const message = compose({
      id,
      from,
      input,
      answered,
      thread: sender.thread,
      now: new Date(),
    });
    const refusal = await this.#judge(sender, input, message, answered);
    if (refusal) throw this.#refuse(message, refusal);
    const task = wantsAnswer(message)
      ? tasks.rowOf(message, sender.taskId, input.metadata?.depends_on ?? [])
      : undefined;
    return { message, duplicate: false, task };
  }

  /** Resolves when the message is durable. What the team itself has to say goes here without rules. */
  async commit({ message, duplicate, task }: Prepared): Promise<void> {
    if (duplicate) return;
    const { bus, parts, rate, tasks, timeline } = this.#office;
    // Before anybody can hear of it: the turn of whoever asked may end in this instant.
    await parts.answered(message);
    const writes: Write[] = [
      { kind: "add", collection: ROOTS, key: message.root_id, amounts: { messages: 1 } },
      ...(task ? [tasks.writeOf(task)] : []),
    ];
    const { sendMs } = this.#office.team.timeouts;
    const receipt = await inTime(bus.send(message, { writes }), sendMs, message.to_agent);
    if (receipt.duplicate) return;
    rate.count(message.from_agent, message.to_agent);
    const bytes = Buffer.byteLength(message.content);
    timeline.append({ type: "message_sent", message: shortened(message, bytes), bytes });
    if (task) tasks.add(task);
    this.#followTask(message, task);
  }

  /** A task hears of progress, of questions to whoever asked for it, and of its end. */
  #followTask(message: CCMessage, task: Task | undefined): void {
    const { tasks } = this.#office;
    const asking = task?.parent != null ? tasks.get(task.parent) : undefined;
    if (asking?.from_agent === message.to_agent) tasks.step(asking.id, "input_needed");
    const id = message.reply_to ?? message.metadata.task_id;
    if (id === null) return;
    if (message.type === "progress") tasks.step(id, "progress");
    const answered = tasks.get(id);
    if (!isAnswer(message) || answered?.to_agent !== message.from_agent) return;
    const failed = message.type === "task_failed" || message.type === "error";
    tasks.step(id, failed ? "failed" : "completed", message.id);
    if (answered.parent !== null) tasks.step(answered.parent, "input_given");
  }

  async #judge(
    sender: Sender,
    input: SendMessageInput,
    message: CCMessage,
    answered: CCMessage | undefined,
  ): Promise<Refusal> {
    const { team, rate, tasks } = this.#office;
    const { from_agent: from, to_agent: to } = message;
    const refusal =
      checkReply(from, to, input.reply_to, answered) ??
      checkRecipient(team, sender.spec, to, answered) ??
      checkSize(input, team.limits) ??
      checkKind(message);
    if (refusal) return refusal;
    // The one answer that a request is waiting for always gets through: without it all was in vain.
    if (answered && isAnswer(message) && tasks.get(answered.id)) return undefined;
    return (
      this.#availability(to) ??
      rate.check(from, to) ??
      (await this.#judgeLoop(sender, message, to)) ??
      (wantsAnswer(message) ? await this.#judgeBudgets(sender, to) : undefined) ??
      (input.wait ? checkWait(this.#office.waits, waitOf(message)) : undefined)
    );
  }

  async #judgeLoop(sender: Sender, message: CCMessage, to: AgentId): Promise<Refusal> {
    const { bus, team } = this.#office;
    const row = await bus.records.get(ROOTS, message.root_id);
    const sent = Number(row?.value["messages"] ?? 0);
    const thread = sender.thread ?? threadOf(message);
    return checkLoop(thread, to, sent, team.limits);
  }

  async #judgeBudgets(sender: Sender, to: AgentId): Promise<Refusal> {
    const { team, tasks } = this.#office;
    const agent = team.agents.get(to);
    const purse = async (whose: string, key: string, budget: Parameters<typeof checkBudget>[1]) =>
      checkBudget(whose, budget, await this.#office.spending.of(key));
    const refusal =
      (await purse("The team", purses.team, team.budget.team)) ??
      (await purse(to, purses.agent(to), agent?.budget ?? {}));
    if (refusal || Object.keys(team.budget.task).length === 0) return refusal;
    for (const { id, title } of await tasks.lineage(sender.taskId ?? null)) {
      const spent = await purse(`The task "${title}"`, purses.task(id), team.budget.task);
      if (spent) return spent;
    }
    return undefined;
  }

  #refuse(message: CCMessage, refusal: ClaudeCodeError): ClaudeCodeError {
    const { bus, communication, log, timeline } = this.#office;
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
    timeline.append({
      type: "refused",
      from_agent: message.from_agent,
      to_agent: message.to_agent,
      error: toWire(refusal),
    });
    return refusal;
  }

  async #find(id: string | undefined): Promise<CCMessage | undefined> {
    return id === undefined ? undefined : (await this.#office.bus.get(id))?.message;
  }
}

export const waitOf = ({ from_agent, to_agent, root_id }: CCMessage) => ({
  waiter: from_agent,
  awaited: to_agent,
  root_id,
});

/** Where a message of its own accord stands: at the beginning. */
const threadOf = ({ root_id, hop, path }: CCMessage): Thread => ({ root_id, hop, path });

/** Agents are started, stopped and watched by the team's process, never by one another. */
function checkKind(message: CCMessage): Refusal {
  if (!isControl(message) || message.type === "ping") return undefined;
  return errorOf("not_allowed", `Agents cannot send messages of the type ${message.type}.`, {
    data: { type: message.type },
    hint: "Leave type out: it is a task_request, or with reply_to a task_response.",
  });
}

/** A bus that does not answer is told to the sender, who may send again: the id makes that safe. */
async function inTime<T>(sending: Promise<T>, withinMs: number, to: AgentId): Promise<T> {
  const late = Promise.withResolvers<never>();
  const seconds = withinMs / 1000;
  const timer = setTimeout(() => {
    const message = `The message to ${to} was not safe on the disk within ${seconds} s.`;
    late.reject(errorOf("timeout", message, { data: { timeout_seconds: seconds, agent_id: to } }));
  }, withinMs);
  try {
    return await Promise.race([sending, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const SHOWN_CHARS = 4000;

function shortened(message: CCMessage, bytes: number): CCMessage {
  const { content, thinking } = message;
  if (bytes <= SHOWN_CHARS && (thinking?.length ?? 0) <= SHOWN_CHARS) return message;
  return {
    ...message,
    content: content.slice(0, SHOWN_CHARS),
    thinking: thinking?.slice(0, SHOWN_CHARS) ?? null,
  };
}
