import type { Engine } from "../../engine/index.ts";
import { errorOf } from "../../wire/errors.ts";
import type { SessionCommand, SessionCommandOf } from "../../wire/session/commands.ts";
import type { RequestAnswer } from "./approvals/decision-for-cli-and-log.ts";
import type { SessionQuestions } from "./approvals/session-questions.ts";
import type { CommandAnswer } from "./command-answer.ts";
import type { FileCompletion } from "./completion/file-completion.ts";
import { revokeGrant } from "./approvals/revoke-grant.ts";
import { dropMessage } from "./drop-message.ts";
import type { Interrupts } from "./interrupt-turn.ts";
import type { SessionContext } from "./session-context.ts";
import type { ClientLink } from "./session-types.ts";
import { stopTask } from "./stop-task.ts";

/** What commands work with. */
export interface CommandContext extends SessionContext {
  readonly questions: SessionQuestions;
  readonly interrupts: Interrupts;
  readonly files: FileCompletion;
  /** The connection that the command came on. */
  readonly link: ClientLink | undefined;
  /** The CLI that runs now. */
  readonly engine: Engine | undefined;
  /** Reads what the CLI has written to its transcript since the last look. */
  readonly lookAtTranscript: () => void;
  /** Looks at the transcript until it has every message that was given to the CLI. */
  readonly awaitSight: () => void;
  /** Tells clients how the CLI's MCP servers are, now and while they start. */
  readonly lookAtServers: (engine: Engine) => void;
}

/** The commands that the server carries out itself, because they are about one connection or only read the log. */
type ServerCommand = "attach" | "history" | "search" | "status" | "get_blob" | "ping" | "shutdown";
type TableCommand = Exclude<SessionCommand["type"], ServerCommand>;

type CommandTable = {
  [Type in TableCommand]: (
    command: SessionCommandOf<Type>,
    by: string | undefined,
    session: CommandContext,
  ) => Promise<CommandAnswer | void>;
};

const answerRequest = async (
  command: RequestAnswer,
  by: string | undefined,
  { questions, approvals }: CommandContext,
): Promise<void> => {
  if (await questions.take(command, by)) return;
  await approvals.answer(command, by);
};

function connected(link: ClientLink | undefined): ClientLink {
  if (link) return link;
  throw errorOf("invalid_request", "Tools can be offered only by a client that is connected.");
}

/** What each command of a client does. A command runs up to its first await in the order of the client's lines. */
const commandTable: CommandTable = {
  message: async (command, by, { inbox, interrupts, lookAtTranscript, awaitSight }) => {
    // Foreign messages must be known before this message is passed on.
    lookAtTranscript();
    await inbox.accept(command, by).finally(awaitSight);
    if (command.priority === "now" && !command.quiet) void interrupts.cutShort();
  },
  approve: answerRequest,
  deny: answerRequest,
  answer: answerRequest,
  // Only an MCP server asks for it: a notice is allowed or denied.
  respond: (command, by, { approvals }) => approvals.answer(command, by),
  drop: async ({ id }, by, session) => ({
    type: "ok",
    outcome: await dropMessage({ id, by, engine: session.engine }, session),
  }),
  hold: ({ request_id, ms }, by, { approvals }) => approvals.hold(request_id, ms, by),
  revoke: ({ grant }, by, session) => revokeGrant({ grant, by, engine: session.engine }, session),
  stop: async (target, _by, session) => ({
    type: "ok",
    outcome: await stopTask(target, session.engine, session),
  }),
  abort: async ({ queue }, by, { interrupts, continuation, turns }) => {
    const isIdle = !turns.isOpen;
    await interrupts.abort(queue === "drop");
    if (isIdle) await continuation.cancel(by);
  },
  complete: async (command, _by, { files }) => ({
    type: "completions",
    ...(await files.complete(command)),
  }),
  offer_tools: (command, _by, { offers, link }) => offers.offer(command, connected(link)),
  tool_progress: async (command, _by, { offers, link }) =>
    offers.progress(command, connected(link)),
  tool_return: async (command, _by, { offers, link }) => offers.return(command, connected(link)),
  set_mode: ({ mode }, by, { modeAndModel }) => modeAndModel.setMode(mode, by),
  set_model: ({ model }, by, { modeAndModel }) => modeAndModel.setModel(model, by),
  rename: ({ title: words }, by, { title }) => title.rename(words, by),
  set_mcp_servers: async ({ servers: wanted }, by, { servers, engine, lookAtServers }) => {
    const outcomes = await servers.set(wanted, by);
    if (engine) lookAtServers(engine);
    return { type: "ok", servers: outcomes };
  },
  set_thinking: ({ effort }, by, { modeAndModel }) => modeAndModel.setThinking(effort, by),
};

/** @throws ClaudeCodeError, which goes to the sender of the command only. */
export async function carryOut(
  command: SessionCommand,
  by: string | undefined,
  session: CommandContext,
): Promise<CommandAnswer | void> {
  if (!Object.hasOwn(commandTable, command.type)) {
    throw errorOf("invalid_request", `${command.type} is not a command of the session.`);
  }
  // The table binds each command to its own type; across the whole table the types cannot say so.
  const act = commandTable[command.type as TableCommand] as (
    command: SessionCommand,
    by: string | undefined,
    session: CommandContext,
  ) => Promise<CommandAnswer | void>;
  return act(command, by, session);
}
