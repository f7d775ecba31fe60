import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { Write } from "../../bus/records.ts";
import { pagesOf } from "../../bus/pages.ts";
import { toWire } from "../../wire/error-wire.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { Task } from "../../wire/team-task.ts";
import type { AgentId, CCMessage, SendMessageInput } from "../../wire/team.ts";
import type { AgentSpec } from "../file/team.ts";
import { compose } from "../messages/compose.ts";
import { isAnswer, isControl, startsTurn, wantsAnswer } from "../messages/kind.ts";
import { idOfCall } from "../messages/message-id.ts";
import type { Thread } from "../messages/thread.ts";
import type { Office } from "../office.ts";
import { checkBudgets } from "../rules/budgets.ts";
import { checkDependencies } from "../rules/dependencies.ts";
import { checkLoop } from "../rules/loop.ts";
import { checkRecipient, checkReply } from "../rules/may-message.ts";
import type { Refusal } from "../rules/refusal.ts";
import { RootCounts } from "../rules/root-counts.ts";
import { checkSize } from "../rules/size.ts";
import type { Wait } from "../rules/waits.ts";
import { checkWait } from "../rules/waits.ts";
import { pendingQuestions } from "./pending-questions.ts";

/** Messages that are durable, and of which the timeline may not know yet. */
const UNTOLD = "untold";
const MAX_NAME = 100;

/** Who sends, and where it stands. */
export interface Sender {
  readonly spec: AgentSpec;
  /** Of the session's log; ids of messages are derived from it. */
  readonly logId: string;
  /** What the agent's turn is about; absent when it speaks of its own accord. */
  readonly thread: Thread | undefined;
  readonly taskId: string | undefined;
  /** When its call came in: a message is as old as that, whatever had to be waited for first. */
  readonly calledAt: Date;
  /** Its conversation has this message. */
  readonly hasGot: (id: string) => boolean;
}

export interface Prepared {
  readonly message: CCMessage;
  /** It was sent before, by the same call. */
  readonly duplicate: boolean;
  readonly task: Task | undefined;
  /** It counts for the sender's rate and for its exchange already. */
  readonly isCounted?: boolean;
}

/** Why an agent cannot get anything now; undefined when it can. */
export type Availability = (agent: AgentId) => Refusal;

/** Takes messages from agents: judges them by the rules, and makes them durable. */
export class Router {
  readonly #office: Office;
  readonly #availability: Availability;
  readonly #roots: RootCounts;
  /** By task: the answer that was on its way first. */
  readonly #answering = new Map<string, string>();

  constructor(office: Office, availability: Availability) {
    this.#office = office;
    this.#roots = new RootCounts(office.bus.records);
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
      // Longer than any agent's name, and not as long as a model can write.
      input: { ...input, to: input.to.slice(0, MAX_NAME) },
      answered,
      thread: sender.thread,
      now: sender.calledAt,
    });
    const dependsOn = input.metadata?.depends_on ?? [];
    const refusal =
      (await checkDependencies(tasks, dependsOn, sender.taskId)) ??
      (await this.#judge(sender, input, message, answered));
    if (refusal) throw this.refuse(message, refusal);
    const task = wantsAnswer(message) ? tasks.rowOf(message, sender.taskId, dependsOn) : undefined;
    return { message, duplicate: false, task, isCounted: true };
  }

  /** Resolves when the message is durable. What the team itself has to say goes here without rules. */
  async commit({ message, duplicate, task, isCounted = false }: Prepared): Promise<void> {
    if (duplicate) return;
    const { tasks } = this.#office;
    if (!isCounted) this.#count(message);
    const writes: Write[] = [
      this.#roots.writeOf(message.root_id),
      untold(message.id),
      ...(task ? [tasks.writeOf(task)] : []),
    ];
    const sending = this.#send(message, task, writes);
    const withinMs = this.#office.team.timeouts.sendMs;
    await inTime(sending, withinMs, message.to_agent).catch((error: unknown) => {
      this.#tellUnsent(message, error);
      throw error;
    });
  }

  #count(message: CCMessage): void {
    this.#office.rate.count(message.from_agent, message.to_agent);
    // What this process answers itself is never sent.
    if (!isControl(message)) this.#roots.begin(message.root_id);
  }

  #settleCount({ from_agent, to_agent, root_id }: CCMessage, wasSent: boolean): void {
    if (!wasSent) this.#office.rate.release(from_agent, to_agent);
    this.#roots.end(root_id, wasSent);
  }

  /** An answer that somebody has given already is none that failed. */
  #tellUnsent(message: CCMessage, error: unknown): void {
    if (!(error instanceof ClaudeCodeError) || error.code === "message_conflict") return;
    this.#office.communication.failed(message, error);
  }

  /**
   * Resolves when the message is durable, and tells of it then, whether or not somebody still waits for
   * that: it is delivered in any case, and the same call once more is only a duplicate.
   */
  async #send(message: CCMessage, task: Task | undefined, writes: readonly Write[]): Promise<void> {
    const { bus, parts } = this.#office;
    let isNew = false;
    try {
      // Before anybody can hear of it: the turn of whoever asked may end in this instant.
      await parts.answered(message);
      isNew = !(await bus.send(message, { writes })).duplicate;
    } catch (error) {
      // An answer that was surely not sent is not on its way: the job would wait for it for ever.
      if (isSurelyUnsent(error)) parts.settle(message.id);
      throw error;
    } finally {
      this.#settleCount(message, isNew);
      this.#endAwaited(message);
    }
    if (!isNew) return;
    this.#tell(message, task);
    this.#followTask(message, task);
  }

  /** Sends a dead letter again, under a new id, and its task begins anew. Undefined when there is none. */
  async resend(deadId: string): Promise<CCMessage | undefined> {
    const { bus, tasks } = this.#office;
    const dead = (await bus.deadLetters.get(deadId))?.message;
    if (!dead) return undefined;
    const before = await tasks.find(deadId);
    const id = randomUUID();
    const root_id = dead.root_id === deadId ? id : dead.root_id;
    const parent = before?.parent != null ? tasks.get(before.parent)?.id : undefined;
    const task = before && tasks.rowOf({ ...dead, id, root_id }, parent, before.depends_on);
    const writes = [untold(id), ...(task ? [tasks.writeOf(task)] : [])];
    const message = await bus.deadLetters.resend(deadId, id, { writes });
    if (message) this.#tell(message, task);
    return message;
  }

  /** What a process before this one has sent, and was ended before it could tell. */
  async tellUntold(): Promise<void> {
    const { bus, tasks } = this.#office;
    const oldest = { collection: UNTOLD, order: "oldest" } as const;
    for await (const rows of pagesOf((from) => bus.records.query({ ...oldest, ...from }))) {
      for (const { key } of rows) {
        const message = (await bus.get(key))?.message;
        if (!message) continue;
        const task = tasks.get(key);
        this.#tell(message, task);
        this.#followTask(message, task);
      }
    }
  }

  #tell(message: CCMessage, task: Task | undefined): void {
    const { tasks, timeline } = this.#office;
    const bytes = Buffer.byteLength(message.content);
    timeline.append({ type: "message_sent", message: shortened(message, bytes), bytes }, [
      { kind: "remove", collection: UNTOLD, key: message.id },
    ]);
    if (task) tasks.add(task);
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
    const { team, rate } = this.#office;
    const { from_agent: from, to_agent: to } = message;
    const refusal =
      checkReply(from, to, input.reply_to, answered) ??
      checkRecipient(team, sender.spec, to, answered) ??
      checkSize(message, team.limits) ??
      checkKind(message);
    if (refusal) return refusal;
    if (this.#beginAwaited(message)) {
      this.#count(message);
      return undefined;
    }
    const sentUnderRoot = await this.#roots.counterOf(message.root_id);
    const checkPace = (): Refusal =>
      rate.check(from, to) ??
      checkLoop(sender.thread ?? threadOf(message), to, sentUnderRoot(), team.limits);
    const late =
      this.#availability(to) ??
      checkPace() ??
      (await this.#judgeBudgets(sender, message)) ??
      (input.wait ? await this.#judgeWait(sender, message) : undefined) ??
      // Last, and at once: of many calls that are made together each has come past the first look at it.
      checkPace();
    if (!late) this.#count(message);
    return late;
  }

  /**
   * The one answer that a request is waiting for always gets through: without it all was in vain. Of
   * several that are given at once it is the first, until it is known how its sending has ended.
   */
  #beginAwaited(message: CCMessage): boolean {
    const { id, reply_to } = message;
    if (reply_to === null || !isAnswer(message) || !this.#office.tasks.get(reply_to)) return false;
    const first = this.#answering.get(reply_to) ?? id;
    this.#answering.set(reply_to, first);
    return first === id;
  }

  #endAwaited({ id, reply_to }: CCMessage): void {
    if (reply_to !== null && this.#answering.get(reply_to) === id) this.#answering.delete(reply_to);
  }

  /** A question that lies in the sender's own inbox ends the wait at once, so that no circle can come of it. */
  async #judgeWait({ hasGot }: Sender, message: CCMessage): Promise<Refusal> {
    const { bus, waits } = this.#office;
    const wait = waitOf(message);
    const questions = await pendingQuestions(bus, wait, hasGot);
    return questions.length > 0 ? undefined : checkWait(waits, wait);
  }

  /**
   * Whoever gets it pays for the turn that it starts. The sender of a request pays too, for the turn that
   * the answer will start: it would ask for ever otherwise.
   */
  async #judgeBudgets({ spec, taskId }: Sender, message: CCMessage): Promise<Refusal> {
    const endsWait = isAnswer(message) && this.#office.waits.endedBy(message) !== undefined;
    if (endsWait || !startsTurn(message)) return undefined;
    const agents = [message.to_agent, ...(wantsAnswer(message) ? [spec.id] : [])];
    return checkBudgets(this.#office, { agents, task: taskId });
  }

  /** Counts a refusal and tells it to people. Gives it back, to be thrown. */
  refuse(message: CCMessage, refusal: ClaudeCodeError): ClaudeCodeError {
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

const untold = (id: string): Write => ({ kind: "put", collection: UNTOLD, key: id, value: {} });

export const waitOf = (message: CCMessage): Wait => ({
  waiter: message.from_agent,
  awaited: message.to_agent,
  root_id: message.root_id,
  asks: wantsAnswer(message),
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

/** The same id may be in an inbox all the same: of another message, or because the bus did not say how it ended. */
const isSurelyUnsent = (error: unknown): boolean =>
  error instanceof ClaudeCodeError &&
  !["message_conflict", "bus_unavailable", "bus_closed"].includes(error.code);

/** A bus that does not answer is told to the sender, who may send again: the id makes that safe. */
async function inTime<T>(sending: Promise<T>, withinMs: number, to: AgentId): Promise<T> {
  const late = Promise.withResolvers<never>();
  const seconds = withinMs / 1000;
  const timer = setTimeout(() => {
    const message = `The message to ${to} was not safe on the disk within ${seconds} s.`;
    const data = { timeout_seconds: seconds, agent_id: to };
    const hint = "It may yet be sent: look at list_tasks before you send it again.";
    late.reject(errorOf("timeout", message, { data, hint }));
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
