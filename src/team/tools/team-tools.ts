import * as z from "zod";
import type { Tool, ToolContext } from "../../bridge/index.ts";
import { content, defineTool } from "../../bridge/index.ts";
import type { Bus } from "../../bus/bus.ts";
import { toJsonRpcError } from "../../wire/error-wire.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { AgentState } from "../../wire/team/events.ts";
import type { AgentId, CCMessage, SendMessageInput } from "../../wire/team/messages.ts";
import { SendMessageInputSchema } from "../../wire/team/messages.ts";
import type { Admission, Sender } from "../delivery/admission.ts";
import type { AgentInbox } from "../delivery/inbox.ts";
import type { Outbox } from "../delivery/outbox.ts";
import type { WaitEnd, Waits } from "../delivery/open-waits.ts";
import { waitOf } from "../delivery/open-waits.ts";
import type { Team } from "../file/team.ts";
import { wantsAnswer } from "../messages/message-types.ts";
import { answerWords, carriedMeta, questionWords } from "../messages/message-carried-by-result.ts";
import type { CommunicationRecord } from "../record/communication-record.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { answerPing } from "./answer-ping.ts";
import { openWait } from "./wait-for-answer.ts";

export interface TeamToolsOptions {
  /** The agent that the tools belong to. A call comes from this agent, whatever it claims. */
  readonly agent: AgentId;
  /** The sender of what a call sends, and what its turn is about. */
  readonly sender: (callId: string | undefined, signal: AbortSignal) => Promise<Sender>;
  readonly inbox: Pick<AgentInbox, "offerQuestions" | "hasPushedAnswerTo">;
  readonly team: Pick<Team, "agents" | "lead" | "timeouts">;
  readonly bus: Pick<Bus, "get" | "reply">;
  readonly tasks: Pick<TaskBook, "open" | "list">;
  readonly waits: Waits;
  readonly communication: Pick<CommunicationRecord, "delivered" | "failed">;
  readonly admission: Pick<Admission, "admit">;
  readonly outbox: Pick<Outbox, "send">;
  readonly stateOf: (agent: AgentId) => AgentState;
  /** Whether this agent, or an agent that it waits for, waits for a person's decision. */
  readonly waitsForPerson: (agent: AgentId) => boolean;
}

const { to, content: body, thinking } = SendMessageInputSchema.shape;

/**
 * Without the name that it has in our own schemas: a tool's root must stand there itself. And without
 * bounds for what the rules judge: whom they refuse is told why, and people see it.
 */
const sendMessageInput = z.object({
  ...SendMessageInputSchema.shape,
  to: z.string().describe(to.description ?? ""),
  content: z.string().describe(body.description ?? ""),
  thinking: z
    .string()
    .optional()
    .describe(thinking.unwrap().description ?? ""),
});

/** The tools by which an agent speaks with the others. */
export function teamTools(options: TeamToolsOptions): Tool[] {
  return [
    defineTool({
      name: "send_message",
      description:
        "Send a message to another agent of your team. Without wait it returns a receipt at once, and the answer comes later as a message; with wait: true it returns the answer. Calls run one after the other, so ask several agents at once without wait. Answer a message with its id as reply_to.",
      input: sendMessageInput,
      idempotent: true,
      handler: (input, context) => inModelTerms(() => sendMessage(options, input, context)),
    }),
    defineTool({
      name: "list_agents",
      description: "List the agents of your team, what they do, and whom you can send messages to.",
      input: z.object({}),
      idempotent: true,
      annotations: { readOnlyHint: true },
      handler: () => listAgents(options),
    }),
    defineTool({
      name: "read_message",
      description:
        "Read a message that you sent or got, whole or from an offset on. Long messages arrive as a preview.",
      input: z.object({
        id: z.uuid(),
        offset: z.int().min(0).default(0).describe("First character to read."),
        limit: z.int().min(1).max(100_000).default(50_000).describe("Most characters to read."),
      }),
      idempotent: true,
      annotations: { readOnlyHint: true },
      handler: (page) => inModelTerms(() => readMessage(options, page)),
    }),
    defineTool({
      name: "list_tasks",
      description: "List the tasks that you were given and those that you gave to others.",
      input: z.object({ all: z.boolean().default(false).describe("Also those that have ended.") }),
      idempotent: true,
      annotations: { readOnlyHint: true },
      handler: ({ all }) => listTasks(options, all),
    }),
  ];
}

/** A refusal is a result that the model can act on, with the number that the protocol has for it. */
async function inModelTerms(run: () => Promise<unknown>): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ClaudeCodeError)) throw error;
    const { code, message, data } = toJsonRpcError(error);
    const facts = data === undefined ? "" : `\n${JSON.stringify(data)}`;
    return content.error(`Error ${code} (${error.code}): ${message} ${error.hint}${facts}`);
  }
}

async function sendMessage(
  options: TeamToolsOptions,
  input: SendMessageInput,
  { signal, progress, toolUseId }: ToolContext,
): Promise<unknown> {
  const { agent, team, tasks, waits, communication, admission, outbox } = options;
  const sender = await options.sender(toolUseId, signal);
  const admitted = await admission.admit(sender, input, toolUseId);
  const { message } = admitted;
  if (message.type === "ping") return answerPing(message, options);
  if (!input.wait) {
    await outbox.send(admitted);
    return receiptOf(message);
  }
  if (admitted.duplicate && (await hasArrived(message.id, options))) {
    return cameAlready(message);
  }
  const isRequest = wantsAnswer(message);
  const timeoutMs = isRequest ? team.timeouts.taskMs : team.timeouts.receiveMs;
  let ticks = 0;
  const wait = openWait(waits, {
    message,
    // After a question was answered, the answer to the request before it is what is awaited. What the
    // same agent was asked for another task is none of this turn's business.
    alsoFor: tasks
      .open()
      .filter((task) => task.from_agent === agent && task.to_agent === message.to_agent)
      .filter((task) => task.root_id === message.root_id)
      .filter((task) => task.parent === (sender.taskId ?? null))
      .map(({ id }) => id),
    toolUseId,
    timeoutMs,
    isPaused: () => options.waitsForPerson(message.to_agent),
    signal,
    progress(waitedMs, paused) {
      ticks += 1;
      const how = paused ? "waits for a person" : `is ${options.stateOf(message.to_agent)}`;
      const seconds = Math.round(waitedMs / 1000);
      progress({ progress: ticks, message: `${message.to_agent} ${how} (${seconds} s)` });
    },
  });
  // If the sending fails first, no caller is left to handle the failure of the wait.
  wait.ended.catch((error: unknown) => {
    const isLate = error instanceof ClaudeCodeError && error.code === "timeout";
    if (isLate) communication.failed(message, error);
  });
  try {
    await outbox.send(admitted);
    // What the agent was asked before, under the same root, ends the wait at once.
    await options.inbox.offerQuestions(waitOf(message));
  } catch (error) {
    // It may be sent all the same, and its answer must not be handed to a call that has its result.
    wait.giveUp();
    throw error;
  }
  return resultOf(message, await wait.ended);
}

function resultOf(message: CCMessage, end: WaitEnd): unknown {
  if (end.kind === "delivered") return cameAlready(message);
  const { type } = end.message;
  const text = end.kind === "question" ? questionWords(end.message) : answerWords(end.message);
  return content.result({
    content: [{ type: "text", text }],
    ...((type === "task_failed" || type === "error") && { isError: true }),
    _meta: carriedMeta(end.message),
  });
}

const cameAlready = ({ id, to_agent }: CCMessage): string =>
  `The answer of ${to_agent} to your message ${id} has come as a message of its own.`;

async function hasArrived(
  messageId: string,
  { inbox, bus }: Pick<TeamToolsOptions, "inbox" | "bus">,
): Promise<boolean> {
  if (inbox.hasPushedAnswerTo(messageId)) return true;
  const answer = await bus.reply({ replyTo: messageId }, { waitMs: 0 });
  return answer !== undefined && (await bus.get(answer.id))?.state === "done";
}

const receiptOf = ({ id, to_agent, metadata }: CCMessage) => ({
  message_id: id,
  to: to_agent,
  status: "accepted",
  ...(metadata.task_id !== null && { task_id: metadata.task_id }),
});

function listAgents({
  agent,
  team,
  stateOf,
}: Pick<TeamToolsOptions, "agent" | "team" | "stateOf">) {
  const me = team.agents.get(agent);
  return {
    you: agent,
    lead: team.lead,
    agents: [...team.agents.values()].map(({ id, description }) => ({
      id,
      description,
      state: stateOf(id),
      reachable: me?.mayMessage.includes(id) ?? false,
    })),
  };
}

async function readMessage(
  { agent, bus }: Pick<TeamToolsOptions, "agent" | "bus">,
  { id, offset, limit }: { id: string; offset: number; limit: number },
) {
  const message = (await bus.get(id))?.message;
  if (!message || ![message.from_agent, message.to_agent].includes(agent)) {
    throw errorOf("invalid_params", `${agent} has neither sent nor got a message ${id}.`, {
      hint: "Use the id that stands above the message.",
    });
  }
  const text = message.content.slice(offset, offset + limit);
  const rest = message.content.length - offset - text.length;
  return {
    from: message.from_agent,
    type: message.type,
    content: text,
    ...(rest > 0 && { next_offset: offset + text.length, remaining_characters: rest }),
  };
}

const LISTED = 100;

async function listTasks(
  { agent, tasks }: Pick<TeamToolsOptions, "agent" | "tasks">,
  all: boolean,
) {
  const listed = all ? await tasks.list(LISTED) : tasks.open();
  return {
    tasks: listed
      .filter(({ from_agent, to_agent }) => [from_agent, to_agent].includes(agent))
      .slice(0, LISTED)
      .map(({ id, title, from_agent, to_agent, state, parent, depends_on, outcome }) => ({
        id,
        title,
        from: from_agent,
        to: to_agent,
        state,
        parent,
        depends_on,
        outcome,
      })),
  };
}
