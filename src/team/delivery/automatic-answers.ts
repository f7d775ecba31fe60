import type { Bus } from "../../bus/bus.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { StopReason } from "../../wire/session/turn-events.ts";
import type { Task } from "../../wire/team/task.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import { composeMessage } from "../messages/compose-message.ts";
import { cutToMessageLimit } from "../messages/cut-to-message-limit.ts";
import { idOfAutomaticAnswer } from "../messages/derive-message-id.ts";
import { SWITCHBOARD, USER } from "../../wire/team/reserved-senders.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { Outbox } from "./outbox.ts";
import { subjectsOf, tasksOfTurn } from "./turn-tasks.ts";

export interface ReplyTurn {
  readonly messages: readonly string[];
  /** The messages that its `done` names: none when the turn was cut and another one continues it. */
  readonly named: readonly string[];
  readonly stopReason: StopReason;
  /** The final text. */
  readonly text: string;
  /** Messages that the session has ended without giving them to its model. */
  readonly unread: readonly string[];
  /** What went wrong, in words. */
  readonly error: string | undefined;
  /** Whether more is on its way to this task, so that a later turn answers it. */
  readonly isMoreComing: (task: Task) => Promise<boolean>;
}

export interface AutomaticAnswersOptions {
  readonly bus: Pick<Bus, "get">;
  readonly tasks: TaskBook;
  readonly timeline: Timeline;
  readonly outbox: Outbox;
}

const lost: ReadonlySet<StopReason> = new Set(["cli_lost", "host_lost"]);

/** The next turn goes on with it. */
const isCut = ({ stopReason, named }: ReplyTurn): boolean =>
  stopReason === "interrupted" || (lost.has(stopReason) && named.length === 0);

/** When a crash came after the last text of a turn, nothing is missing but the report that it was the last. */
const isComplete = (turn: ReplyTurn): boolean =>
  turn.text === ""
    ? turn.stopReason === "completed" && turn.unread.length === 0
    : turn.stopReason === "completed" || lost.has(turn.stopReason);

const FAILED_CHARS = 2000;

/**
 * Answers that agents give without a call: when a turn ends and the task that it was about has no answer
 * yet, the turn's final text is the answer. A task whose parts others still work on is answered at the
 * end of the turn that deals with the last of them.
 */
export class AutomaticAnswers {
  readonly #options: AutomaticAnswersOptions;
  /** By agent: tasks whose turn was cut short. */
  readonly #cut = new Map<AgentId, Set<string>>();

  constructor(options: AutomaticAnswersOptions) {
    this.#options = options;
  }

  async turnEnded(agent: AgentId, turn: ReplyTurn): Promise<void> {
    const tasks = await this.#tasksOf(agent, turn);
    if (isCut(turn)) {
      this.#cut.set(agent, new Set(tasks.map(({ id }) => id)));
      return;
    }
    this.#cut.delete(agent);
    for (const task of tasks) {
      if (isComplete(turn) && (await turn.isMoreComing(task))) continue;
      await this.#answer(agent, task, turn);
    }
  }

  /** Tasks of this agent whose turn was cut short: its next turn goes on with them. */
  cutTasks(agent: AgentId): ReadonlySet<string> {
    return this.#cut.get(agent) ?? new Set();
  }

  /**
   * The team itself tells the asker that a request will not be answered, and then ends its task. The order matters: the
   * asker may end its turn as soon as the task is no longer open, and a crash in between loses nothing.
   */
  async giveUp(task: Task, why: string, end: "failed" | "timed_out" = "failed"): Promise<void> {
    if (task.from_agent === USER) {
      this.#tellUser(task, task.to_agent, why, end);
      return;
    }
    await this.#send(task, SWITCHBOARD, "error", why);
    this.#options.tasks.step(task.id, end, why);
  }

  async #tasksOf(agent: AgentId, turn: ReplyTurn): Promise<Task[]> {
    const { bus, tasks } = this.#options;
    const subjects = await subjectsOf(turn.messages, bus, tasks);
    return [...tasksOfTurn(subjects, this.cutTasks(agent))].flatMap((id) => {
      const task = tasks.get(id);
      return task?.to_agent === agent ? [task] : [];
    });
  }

  async #answer(agent: AgentId, task: Task, turn: ReplyTurn): Promise<void> {
    const { tasks } = this.#options;
    const failed = !isComplete(turn);
    const text = failed
      ? failureText(agent, turn)
      : turn.text || "(The turn ended without a text.)";
    if (turn.stopReason === "aborted") tasks.step(task.id, "canceled", "A person ended the turn.");
    if (task.from_agent === USER) {
      this.#tellUser(task, agent, text, failed ? "failed" : "completed");
      return;
    }
    await this.#send(task, agent, failed ? "task_failed" : "task_response", text);
  }

  #tellUser(
    task: Task,
    agent: AgentId,
    text: string,
    end: "completed" | "failed" | "timed_out",
  ): void {
    const { tasks, timeline } = this.#options;
    const failed = end !== "completed";
    const isFirst = tasks.step(task.id, end, failed ? text : null);
    if (!isFirst && tasks.get(task.id)) return;
    timeline.append({ type: "answered", id: task.id, agent, text, failed });
  }

  async #send(
    task: Task,
    from: AgentId,
    type: "task_response" | "task_failed" | "error",
    text: string,
  ): Promise<void> {
    const request = (await this.#options.bus.get(task.id))?.message;
    if (!request) return;
    const message: CCMessage = composeMessage({
      id: idOfAutomaticAnswer(task.id),
      from,
      input: { to: task.from_agent, content: cutToMessageLimit(text), type, reply_to: task.id },
      answered: request,
      thread: undefined,
      now: new Date(),
    });
    try {
      await this.#options.outbox.send({ message, duplicate: false, task: undefined });
    } catch (error) {
      // The agent and the team have answered it at the same moment: the first answer counts.
      if (!(error instanceof ClaudeCodeError) || error.code !== "message_conflict") throw error;
    }
  }
}

function failureText(agent: AgentId, { stopReason, error, text, unread }: ReplyTurn): string {
  const why =
    error ??
    (unread.length === 0
      ? `the turn ended as "${stopReason}"`
      : "its session did not give this to its model: it is blank, a command, or a hook has refused it.");
  const last = text === "" ? "" : `\nIts last words: ${text.slice(0, FAILED_CHARS)}`;
  return `${agent} could not finish: ${why}${last}`;
}
