import { Buffer } from "node:buffer";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { StopReason } from "../../wire/session-events-turn.ts";
import type { Task } from "../../wire/team-task.ts";
import type { AgentId, CCMessage } from "../../wire/team.ts";
import { MAX_CONTENT_BYTES } from "../../wire/team.ts";
import { compose } from "../messages/compose.ts";
import { idOfAutomaticAnswer } from "../messages/message-id.ts";
import { SWITCHBOARD, USER } from "../messages/user.ts";
import type { Office } from "../office.ts";
import type { Router } from "./router.ts";

export interface EndedTurn {
  readonly messages: readonly string[];
  /** Those that its end names: none when the turn was cut and another takes it up. */
  readonly named: readonly string[];
  readonly stopReason: StopReason;
  /** The final text. */
  readonly text: string;
  /** Messages that the session has ended without giving them to its model. */
  readonly unread: readonly string[];
  /** What went wrong, in words. */
  readonly error: string | undefined;
}

const lost: ReadonlySet<StopReason> = new Set(["cli_lost", "host_lost"]);

/** The next turn goes on with it. */
const isCut = ({ stopReason, named }: EndedTurn): boolean =>
  stopReason === "interrupted" || (lost.has(stopReason) && named.length === 0);

/** A crash that came after the last word took nothing but the word that it was the last. */
const isComplete = (turn: EndedTurn): boolean =>
  turn.text === ""
    ? turn.stopReason === "completed" && turn.unread.length === 0
    : turn.stopReason === "completed" || lost.has(turn.stopReason);

const FAILED_CHARS = 2000;

/**
 * Answers that agents give without a call: when a turn ends and the task that it was about has no answer
 * yet, the turn's final text is the answer. A task whose parts others still work on is answered at the
 * end of the turn that deals with the last of them.
 */
export class Answers {
  readonly #office: Office;
  readonly #router: Router;
  /** Tasks whose turn was cut short, by agent. */
  readonly #carried = new Map<AgentId, Set<string>>();

  constructor(office: Office, router: Router) {
    this.#office = office;
    this.#router = router;
  }

  async turnEnded(agent: AgentId, turn: EndedTurn): Promise<void> {
    const tasks = await this.#tasksOf(agent, turn);
    for (const id of turn.messages) this.#office.parts.settle(id);
    if (isCut(turn)) {
      this.#carried.set(agent, new Set(tasks.map(({ id }) => id)));
      return;
    }
    this.#carried.delete(agent);
    for (const task of tasks) {
      if (isComplete(turn) && this.#office.parts.areOpen(task.id)) continue;
      await this.#answer(agent, task, turn);
    }
  }

  /**
   * The team itself says that a request will not be answered, and ends its task. In this order: whoever
   * asked may end its turn in the moment in which this part is no longer open, and a crash in between is
   * no loss.
   */
  async giveUp(task: Task, why: string, end: "failed" | "timed_out" = "failed"): Promise<void> {
    if (task.from_agent === USER) {
      this.#tellUser(task, task.to_agent, why, end);
      return;
    }
    await this.#send(task, SWITCHBOARD, "error", why);
    this.#office.tasks.step(task.id, end, why);
  }

  async #tasksOf(agent: AgentId, turn: EndedTurn): Promise<Task[]> {
    const { bus, tasks } = this.#office;
    const ids = new Set([...turn.messages, ...(this.#carried.get(agent) ?? [])]);
    for (const id of turn.messages) {
      const replyTo = (await bus.get(id))?.message.reply_to;
      const parent = replyTo == null ? undefined : (await tasks.find(replyTo))?.parent;
      if (parent != null) ids.add(parent);
    }
    return [...ids].flatMap((id) => {
      const task = tasks.get(id);
      return task?.to_agent === agent ? [task] : [];
    });
  }

  async #answer(agent: AgentId, task: Task, turn: EndedTurn): Promise<void> {
    const { tasks } = this.#office;
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
    const { tasks, timeline } = this.#office;
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
    const request = (await this.#office.bus.get(task.id))?.message;
    if (!request) return;
    const message: CCMessage = compose({
      id: idOfAutomaticAnswer(task.id),
      from,
      input: { to: task.from_agent, content: fitting(text), type, reply_to: task.id },
      answered: request,
      thread: undefined,
      now: new Date(),
    });
    try {
      await this.#router.commit({ message, duplicate: false, task: undefined });
    } catch (error) {
      // The agent and the team have answered it in the same moment: the first one counts.
      if (!(error instanceof ClaudeCodeError) || error.code !== "message_conflict") throw error;
    }
  }
}

function failureText(agent: AgentId, { stopReason, error, text, unread }: EndedTurn): string {
  const why =
    error ??
    (unread.length === 0
      ? `the turn ended as "${stopReason}"`
      : "its session did not give this to its model: it is blank, a command, or a hook has refused it.");
  const last = text === "" ? "" : `\nIts last words: ${text.slice(0, FAILED_CHARS)}`;
  return `${agent} could not finish: ${why}${last}`;
}

/** No answer is lost for being too long. */
function fitting(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_CONTENT_BYTES) return text;
  const mark = "\n[cut: the answer was longer than a message may be]";
  const kept = bytes.subarray(0, MAX_CONTENT_BYTES - mark.length).toString();
  return `${kept.replace(/\uFFFD$/, "")}${mark}`;
}
