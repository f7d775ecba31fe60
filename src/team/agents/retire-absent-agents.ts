import type { Bus } from "../../bus/bus.ts";
import type { Task } from "../../wire/team/task.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { AutomaticAnswers } from "../delivery/automatic-answers.ts";
import { USER } from "../../wire/team/reserved-senders.ts";
import type { AgentHost } from "../host/agent-host.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { OnTrouble } from "../timeline/report-failure.ts";
import { AgentRecord, namesOfAgents } from "./stored-agent-record.ts";

const CLAIMED = 100;

const leftWords = (id: AgentId): string => `${id} is no longer an agent of this team.`;

/**
 * Ends the processes of agents that the team file no longer names. Keeps their conversations: an agent that gets the
 * name later continues. What waits for such an agent becomes a dead letter, which a person can send again once the
 * agent is back. Tells people once of each agent that has left.
 */
export async function retireAbsentAgents(
  isThere: (agent: AgentId) => boolean,
  bus: Bus,
  timeline: Timeline,
  host: Pick<AgentHost, "dismiss">,
): Promise<void> {
  for (const id of await namesOfAgents(bus.records)) {
    if (isThere(id)) continue;
    const record = new AgentRecord(bus.records, id);
    await record.load();
    host.dismiss(id, record.mark);
    if (!record.hasConversation || record.note.left === true) continue;
    await record.save({ left: true });
    timeline.append({
      type: "notice",
      level: "warn",
      agent: id,
      code: "agent_left",
      message: `${id} is no longer in the team file: its conversation is kept.`,
      hint: `To continue its conversation, name ${id} in the team file again.`,
    });
  }
  for (const id of Object.keys(await bus.counts())) {
    if (isThere(id) || id === USER) continue;
    for (;;) {
      const deliveries = await bus.claim(id, { max: CLAIMED, waitMs: 0 });
      if (deliveries.length === 0) break;
      await Promise.all(deliveries.map((delivery) => delivery.term(leftWords(id))));
    }
  }
}

/** Tells people that an agent which the file names again continues where it was. */
export async function welcomeBack(record: AgentRecord, timeline: Timeline): Promise<void> {
  if (record.note.left !== true) return;
  await record.save({ left: false });
  timeline.append({
    type: "notice",
    level: "warn",
    agent: record.id,
    code: "agent_back",
    message: `${record.id} is back and continues its conversation.`,
  });
}

/** What the team does about an open task when an agent has left; undefined when it does nothing. */
export function endOfTask(
  { from_agent, to_agent }: Pick<Task, "from_agent" | "to_agent">,
  isThere: (agent: AgentId) => boolean,
): "tell_asker" | "fail" | "cancel" | undefined {
  const hasAsker = from_agent === USER || isThere(from_agent);
  if (!isThere(to_agent)) return hasAsker ? "tell_asker" : "fail";
  return hasAsker ? undefined : "cancel";
}

/** Ends the tasks that no agent works on, or waits for, any more, because an agent has left the team. */
export async function endTasksOfAbsent(
  isThere: (agent: AgentId) => boolean,
  tasks: TaskBook,
  replies: AutomaticAnswers,
  onTrouble: OnTrouble,
): Promise<void> {
  for (const task of tasks.open()) {
    const end = endOfTask(task, isThere);
    if (end === "fail") tasks.step(task.id, "failed", leftWords(task.to_agent));
    if (end === "cancel") tasks.step(task.id, "canceled", leftWords(task.from_agent));
    if (end !== "tell_asker") continue;
    try {
      await replies.giveUp(task, leftWords(task.to_agent));
    } catch (error) {
      // The task stays open: the next start tries again, unless the task times out first.
      onTrouble(`The asker could not be told that ${task.to_agent} has left`, error);
    }
  }
}
