import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { Bus, Delivery } from "../../bus/bus.ts";
import type { Write } from "../../bus/records.ts";
import { withDeadline } from "../../time/time-limit.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import type { Task } from "../../wire/team/task.ts";
import { isAnswer, wantsAnswer } from "../messages/message-types.ts";
import { shortenForPeople } from "../messages/shorten-for-people.ts";
import type { CommunicationRecord } from "../record/communication-record.ts";
import type { MessageContents } from "../record/contents-of-messages.ts";
import { writesOfTurn } from "../record/turn-of-message.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { SendCounts } from "./send-counts.ts";
import type { Arrival } from "./stage.ts";
import type { Settled } from "./unpublished-messages.ts";
import { removeRow, unpublishedRows, writeRow } from "./unpublished-messages.ts";

/** A message that may be sent. */
export interface Admitted {
  readonly message: CCMessage;
  /** The same call has sent it before. */
  readonly duplicate: boolean;
  readonly task: Task | undefined;
  /** It counts for the sender's rate and for its exchange already. */
  readonly isCounted?: boolean;
}

export interface OutboxOptions {
  readonly bus: Bus;
  readonly tasks: TaskBook;
  readonly timeline: Timeline;
  readonly communication: CommunicationRecord;
  readonly contents: Pick<MessageContents, "writesOfCopy">;
  readonly counts: SendCounts;
  /** How long a message may take until it is durable. */
  readonly sendMs: number;
}

/**
 * Makes messages durable, and publishes what becomes of them: to the timeline, to the tasks and to the
 * communication log, once each, also when the process is killed in between.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #notedBefore: { message: CCMessage; how: Arrival }[] = [];

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the message is durable.
   *
   * @throws `timeout` when that takes too long. It may be sent all the same, and is published then.
   */
  async send({ message, duplicate, task, isCounted = false }: Admitted): Promise<void> {
    if (duplicate) return;
    const { counts, communication, sendMs } = this.#options;
    if (!isCounted) counts.begin(message);
    try {
      const sending = this.#send(message, task);
      await withDeadline(sending, sendMs, () => tooSlow(sendMs, message.to_agent));
    } catch (error) {
      // An answer that lost to another answer is no failure.
      const isFailure = error instanceof ClaudeCodeError && error.code !== "message_conflict";
      if (isFailure) communication.failed(message, error);
      throw error;
    }
  }

  async #send(message: CCMessage, task: Task | undefined): Promise<void> {
    const { bus, tasks, counts } = this.#options;
    const { id } = message;
    const rows = [writeRow({ kind: "sent", id }), ...(task ? [tasks.writeOf(task)] : [])];
    let isNew = false;
    try {
      const writes = [counts.writeOf(message), ...rows];
      isNew = !(await bus.send(message, { writes })).duplicate;
    } finally {
      counts.end(message, isNew);
    }
    if (isNew) this.#publishSent(message, task);
  }

  /** Records what a person said to the session itself: its recipient has it already. */
  async record(message: CCMessage, task: Task, by: string | undefined): Promise<void> {
    const { bus, tasks } = this.#options;
    const { id } = message;
    const settled = { step: "seen" } as const;
    const writes = [
      writeRow({ kind: "sent", id, ...(by !== undefined && { by }) }),
      tasks.writeOf(task),
      writeRow({ kind: "settled", id, settled }),
    ];
    const { duplicate } = await bus.send(message, { writes, delivered: true });
    if (duplicate) return;
    this.#publishSent(message, task, by);
    this.#publishSettled(message, settled);
  }

  /** Sends a dead letter again under a new id, with a new task. Returns undefined when there is none. */
  async resend(dead: CCMessage): Promise<CCMessage | undefined> {
    const { bus, tasks, contents } = this.#options;
    const before = await tasks.find(dead.id);
    const id = randomUUID();
    const root_id = dead.root_id === dead.id ? id : dead.root_id;
    const parent = before?.parent == null ? undefined : tasks.get(before.parent)?.id;
    const task = before && tasks.rowOf({ ...dead, id, root_id }, parent, before.depends_on);
    const writes = [
      writeRow({ kind: "sent", id }),
      ...(task ? [tasks.writeOf(task)] : []),
      ...(await contents.writesOfCopy(dead.id, id)),
    ];
    const message = await bus.deadLetters.resend(dead.id, id, { writes });
    if (message) this.#publishSent(message, task);
    return message;
  }

  /** The session has taken it. */
  tellPushed(message: CCMessage): void {
    this.#options.timeline.append({ type: "message_moved", ...moved(message), step: "pushed" });
  }

  /**
   * Takes a message out of its inbox for good. Publishes nothing when it had left before. Returns false when another
   * claim has it, so that it is still in the inbox.
   */
  async settle(delivery: Delivery | undefined, settled: Settled): Promise<boolean> {
    if (!delivery) return false;
    const { message } = delivery;
    const { id } = message;
    if (!(await delivery.ack({ writes: writesOf(id, settled) }))) {
      return (await this.#options.bus.get(id))?.settledAt != null;
    }
    this.#publishSettled(message, settled);
    return true;
  }

  /**
   * The conversation has a message that this process has no lease on. It leaves its inbox, unless a claim is about to
   * return it: then it is written down that it is not to be delivered again. True when it has left.
   */
  async note(message: CCMessage, how: Arrival): Promise<boolean> {
    const { bus, tasks } = this.#options;
    const { id } = message;
    const settled = { step: how };
    if (await bus.finish(message, { writes: writesOf(id, settled) })) {
      this.#publishSettled(message, settled);
      return true;
    }
    if ((await bus.get(id))?.settledAt != null) return true;
    await bus.records.write([writeRow({ kind: "arrived", id, how })]);
    tasks.step(id, "delivered");
    return false;
  }

  /** Messages that earlier processes have noted as arrived. */
  get notedBefore(): readonly { readonly message: CCMessage; readonly how: Arrival }[] {
    return this.#notedBefore;
  }

  /** Publishes what a process before this one could not. To be called before this one sends or settles anything. */
  async publishRest(): Promise<void> {
    const { bus, tasks } = this.#options;
    for await (const { row, message, settledAt } of unpublishedRows(bus)) {
      if (row.kind === "sent") this.#publishSent(message, tasks.get(row.id), row.by);
      if (row.kind === "arrived") this.#notedBefore.push({ message, how: row.how });
      if (row.kind === "settled")
        this.#publishSettled(message, row.settled, settledAt ?? undefined);
    }
  }

  /** In one step with the removal of its row, so that it is published once. */
  #publishSent(message: CCMessage, task: Task | undefined, by?: string): void {
    const { tasks, timeline } = this.#options;
    const bytes = Buffer.byteLength(message.content);
    const published = {
      message: shortenForPeople(message),
      bytes,
      ...(by !== undefined && { by }),
    };
    timeline.append({ type: "message_sent", ...published }, [
      removeRow({ kind: "sent", id: message.id }),
    ]);
    if (task) tasks.add(task);
    this.#followTask(message, task);
  }

  #publishSettled(message: CCMessage, settled: Settled, atMs: number = Date.now()): void {
    const { communication, tasks, timeline } = this.#options;
    const isDelivered = settled.step !== "withdrawn";
    const logged = isDelivered
      ? communication.writeOfDelivery(message, atMs)
      : communication.writeOfFailure(
          message,
          errorOf("aborted", `Not delivered: ${settled.reason}.`),
        );
    timeline.append({ type: "message_moved", ...moved(message), ...settled }, [
      logged,
      ...writesOfTurn(message.id, isDelivered ? settled.turn : undefined),
      removeRow({ kind: "settled", id: message.id }),
    ]);
    if (isDelivered && wantsAnswer(message)) tasks.step(message.id, "delivered");
  }

  /** Updates the task that a message is about: its progress, a question to the agent that asked for it, its end. */
  #followTask(message: CCMessage, task: Task | undefined): void {
    const { tasks } = this.#options;
    const asking = task?.parent == null ? undefined : tasks.get(task.parent);
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
}

/** Written in one step with the end of a message in its inbox. */
const writesOf = (id: string, settled: Settled): Write[] => [
  writeRow({ kind: "settled", id, settled }),
  removeRow({ kind: "arrived", id }),
];

const moved = ({ id, from_agent, to_agent }: CCMessage) => ({ id, from_agent, to_agent });

/** Tells the sender that the bus is slow. Sending again is safe, because of the id. */
function tooSlow(withinMs: number, to: AgentId): Error {
  const seconds = withinMs / 1000;
  return errorOf("timeout", `The message to ${to} was not safe on the disk within ${seconds} s.`, {
    data: { timeout_seconds: seconds, agent_id: to },
    hint: "It may still be sent: call list_tasks before you send it again.",
  });
}
